"""What every method does with a question before it searches and with its counters after it: read, describe, account."""

from __future__ import annotations

from retrieval.answer import AnswerUsage
from retrieval.methods.context import Context
from retrieval.questions.question import Question, read_question


def understand(text: str, context: Context) -> Question:
    """Embed and read a question."""
    return read_question(context.reader, text, context.embedder.vector(text), context.embedder.vector)


def describe_links(question: Question) -> tuple[str, ...]:
    """What each name of the question was linked to."""
    return tuple(
        f"{link.text} -> "
        + ", ".join(f"{entity.name} ({entity.entity_id})" for entity in link.entities)
        + ("" if link.exact else " (part of the name)")
        for link in question.links
    )


def spent(before: AnswerUsage, after: AnswerUsage, calls: int) -> AnswerUsage:
    """Difference of two readings of a usage counter, with the calls counted by the method."""
    return AnswerUsage(
        calls=calls,
        cached_calls=after.cached_calls - before.cached_calls,
        prompt_tokens=after.prompt_tokens - before.prompt_tokens,
        completion_tokens=after.completion_tokens - before.completion_tokens,
        cost=after.cost - before.cost,
    )

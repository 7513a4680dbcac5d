"""Entailment by a language model, where there is one: whether each sentence that a model wrote follows from its quotes.

The lexical check of `retrieval.answers.verify` sees words, numbers, denials and the order of names; it does not see that an
association became a cause, or that a result of mice became one of patients. This check comes before it and can only
take sentences away, so that a model which calls everything supported leaves the lexical verdict as it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import Field

from kg_pipeline.errors import LlmRefused
from retrieval.reasoning.asker import Asker
from retrieval.reasoning.cited import Reply, escaped
from retrieval.reasoning.reasoner import Draft, DraftSentence
from retrieval.trace import Dropped

_TOKENS = 300  # of the reply, a list of numbers
_WRITTEN = frozenset({"finding", "inference"})
_NOT_ENTAILED = "the language model finds that its quotes do not say it"


class Entailment(Reply):
    """Reply to the entailment prompt: numbers of the statements that their evidence does not say."""

    unsupported: list[int] = Field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Entailed:
    """The draft without the sentences that do not follow, and whether the model was asked."""

    draft: Draft
    was_asked: bool


async def entailed(draft: Draft, asker: Asker | None) -> Entailed:
    """Ask once about all sentences that a model wrote; quotes and what is composed of facts need no asking.

    A reply that cannot be used leaves the draft as it is, with a note.
    """
    written = [item for item in draft.sentences if _is_written(item)]
    if asker is None or draft.reason or not written:
        return Entailed(draft, was_asked=False)
    body, listed = _listed(written, asker.characters)
    try:
        reply = await asker.ask(Entailment, "entail", body, _TOKENS)
    except LlmRefused as error:
        notes = (*draft.notes, f"entailment was not checked: {error}")
        return Entailed(replace(draft, notes=notes), was_asked=True)
    failed = [listed[n - 1] for n in dict.fromkeys(reply.unsupported) if 1 <= n <= len(listed)]
    kept = tuple(item for item in draft.sentences if not any(item is other for other in failed))
    dropped = tuple(Dropped("sentence", item.text, _NOT_ENTAILED) for item in failed)
    return Entailed(
        replace(
            draft,
            sentences=kept,
            dropped=(*draft.dropped, *dropped),
            reason="" if kept else "no sentence of the draft follows from the evidence it cites",
        ),
        was_asked=True,
    )


def _is_written(item: DraftSentence) -> bool:
    """Whether a model worded it: sentences of the project's own composing carry the claim that they make."""
    return item.kind in _WRITTEN and item.claim is None and bool(item.quotes)


def _listed(items: Sequence[DraftSentence], characters: int) -> tuple[str, list[DraftSentence]]:
    """Statements with their evidence as tagged data, as many as fit into a request, and which these are."""
    lines: list[str] = []
    listed: list[DraftSentence] = []
    room = characters
    for number, item in enumerate(items, 1):
        said = [f'<statement id="{number}">{escaped(item.text)}</statement>']
        said += [f'<evidence for="{number}">{escaped(quote.text)}</evidence>' for quote in item.quotes]
        room -= sum(map(len, said))
        if room < 0:
            break
        lines += said
        listed.append(item)
    return "\n".join(lines), listed

"""Question initialisation (section 5.1): mentions, answer type, operator and options, and the sources to ask."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from retrieval.methods.bioweave.settings import SourceName
from retrieval.questions.question import Question
from retrieval.questions.shape import Operator, Shape, named_slot, read_shape
from retrieval.reasoning.cited import Reply

_OPTION = re.compile(r"(?:^|[\s;,])\(?([A-H])[).:]\s+")
_FRESH = re.compile(
    r"\b(?:trials?|recruit\w*|phase\s+(?:[1-4]|I{1,3}V?)|approv\w+|recent\w*|latest|new(?:est)?|ongoing|guidelines?|label)\b",
    re.IGNORECASE,
)
_FEWEST_OPTIONS = 2


@dataclass(frozen=True, slots=True)
class Option:
    """An answer offered by a multiple-choice question."""

    letter: str
    text: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What is asked and where it is looked for."""

    question: Question
    shape: Shape
    options: tuple[Option, ...]
    sources: tuple[SourceName, ...]
    by: str  # "rules" or the language model

    @property
    def described(self) -> str:
        """The plan in a line."""
        shape = self.shape
        answer = shape.answer.word if shape.answer else "any"
        way = f" by way of {', '.join(slot.word for slot in shape.inner)}" if shape.inner else ""
        choice = f", {len(self.options)} options" if self.options else ""
        return f"{shape.operator.replace('_', ' ')}, answer type {answer}{way}{choice}, sources {', '.join(self.sources)}"


class Abstraction(Reply):
    """Reply to the abstraction prompt."""

    operator: Literal["shared_neighbour", "intersection", "chain", "aggregation", "count", "other"] = "other"
    answer_type: str = ""


def split_options(text: str) -> tuple[str, tuple[Option, ...]]:
    """The question and its options "A) … B) …"; no options unless the letters run from A without a gap.

    >>> split_options("Which gene? A) TP53 B) RB1")
    ('Which gene?', (Option(letter='A', text='TP53'), Option(letter='B', text='RB1')))
    """
    marks = list(_OPTION.finditer(text))
    letters = "".join(mark.group(1) for mark in marks)
    if len(marks) < _FEWEST_OPTIONS or letters != "ABCDEFGH"[: len(marks)]:
        return text, ()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    options = tuple(
        Option(mark.group(1), text[mark.end() : end].strip(" ;,."))
        for mark, end in zip(marks, ends, strict=True)
    )
    return text[: marks[0].start()].strip(), options


def make_plan(
    question: Question,
    options: Sequence[Option],
    allowed: frozenset[SourceName],
    abstraction: Abstraction | None = None,
    by: str = "rules",
) -> Plan:
    """The plan by rules, corrected by a language model where it names an operator or a type that is known.

    InitSourcePlan: the graph where the question names something of it, documents always, the web for what may have
    changed since; all within the condition given. A missing hop adds the web later.
    """
    shape = read_shape(question)
    if abstraction is not None:
        operator: Operator = shape.operator if abstraction.operator == "other" else abstraction.operator
        slot = named_slot(abstraction.answer_type) if shape.answer is None else shape.answer
        shape = replace(shape, operator=operator, answer=slot)
    wanted: list[SourceName] = []
    if question.links or options:
        wanted.append("kg")
    wanted.append("doc")
    if _FRESH.search(question.text):
        wanted.append("web")
    sources = tuple(name for name in wanted if name in allowed) or tuple(sorted(allowed))
    return Plan(question, shape, tuple(options), sources, by)

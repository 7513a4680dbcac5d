"""From what a pattern read to statements: direction, sign, risk, domain and range, denial and doubt.

Confidences are those of a pattern on its own, in (0, 1]. They order readings and feed the belief of a relation
(`kg_pipeline.inference.asserted`); they follow the precision of the patterns on hand-written sentences and on BioRED's
development abstracts, where `kg bench relations` prints promised beside observed precision.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kg_pipeline.extraction.lexicon.predicate_lexicon import Meaning
from kg_pipeline.extraction.rules.missing_conditions import holds_only_without
from kg_pipeline.extraction.rules.negation import is_negated, is_speculative
from kg_pipeline.extraction.syntax.arguments import Argument
from kg_pipeline.extraction.syntax.phrases import Phrase
from kg_pipeline.vocabulary.categories import ANATOMY, CHEMICAL, DISORDER, ORGANISM, group_of
from kg_pipeline.vocabulary.domains import fits
from kg_pipeline.vocabulary.predicates import PREDICATES

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

Pattern = Literal[
    "verb", "clause", "participle", "role", "event", "relation", "adjective", "hyphen", "mechanism"
]

#: Confidence of each pattern.
CONFIDENCE: dict[Pattern, float] = {
    "verb": 0.8,  # "X inhibits Y", "Y is inhibited by X"
    "role": 0.8,  # "X is an inhibitor of Y"
    "hyphen": 0.85,  # "X-induced Y"
    "adjective": 0.75,  # "X is responsible for Y"
    "event": 0.75,  # "inhibition of Y by X"
    "relation": 0.75,  # "association between X and Y"
    "clause": 0.7,  # "which inhibits Y", "shown to inhibit Y", "by inhibiting Y"
    "participle": 0.7,  # "drugs inhibiting Y", "proteins activated by X"
    "mechanism": 0.5,  # "X causes Z by raising Y" read as Y causes Z
}
#: Each turned sign ("loss of X") is one more step that can be wrong.
TURNED_FACTOR = 0.8

_OPPOSITE = {
    "increases": "decreases",
    "decreases": "increases",
    "activates": "inhibits",
    "inhibits": "activates",
}
#: What remains when a sign cannot be turned: "loss of X causes Y" does not say that X prevents Y.
_UNSIGNED = {
    "causes": "associated_with",
    "prevents": "associated_with",
    "predisposes": "associated_with",
    "regulates": "regulates",
    "associated_with": "associated_with",
    "correlated_with": "correlated_with",
    "biomarker_of": "biomarker_of",
    "manifestation_of": "associated_with",
}
#: What remains when it is not said how head or tail is changed: "mutations in X"; empty for nothing.
_BLURRED = {
    "increases": "regulates",
    "decreases": "regulates",
    "activates": "regulates",
    "inhibits": "regulates",
    "prevents": "associated_with",
    "treats": "",
    "binds": "",
    "expresses": "",
}
_ORIGIN_WORDS = ("aris", "arose", "stem")
_RAISING = frozenset({"increases", "causes", "predisposes", "activates"})
_LOWERING = frozenset({"decreases", "inhibits", "prevents", "treats"})
_OF_HOST = (DISORDER, ORGANISM)
#: The weaker predicate to use where domain and range forbid the one that the word suggests.
_WEAKER = {
    "prevents": ("decreases",),
    "predisposes": ("regulates",),
    "binds": ("associated_with",),
    "manifestation_of": ("associated_with",),
    "expresses": ("associated_with",),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What one pattern found: a trigger, the words of its predicate, and the phrases on either side of it."""

    pattern: Pattern
    trigger: Token
    words: tuple[Token, ...]
    meaning: Meaning
    subjects: tuple[Argument, ...]
    objects: tuple[Argument, ...]
    ends: tuple[Token, ...] = ()


@dataclass(frozen=True, slots=True)
class Statement:
    """A triple between two mentions of the sentence, by index, or between phrases around them."""

    head: int
    tail: int
    predicate: str
    predicate_text: str
    negated: bool
    speculative: bool
    confidence: float
    head_phrase: Phrase | None = None
    tail_phrase: Phrase | None = None


def statements(parse: Parse, reading: Reading) -> Iterator[Statement]:
    """Statements of a reading; none for pairs that the predicate cannot relate."""
    pairs = [
        (subject, thing)
        for subject in reading.subjects
        for thing in reading.objects
        if subject.mention != thing.mention
    ]
    if "respectively" in parse.sentence.text and len(reading.subjects) > 1 and len(reading.objects) > 1:
        pairs = list(zip(reading.subjects, reading.objects, strict=False))
        if len(reading.subjects) != len(reading.objects):
            return  # who does what is said by order, and some of it is no mention
    if not pairs:
        return
    negated = is_negated(parse, reading.trigger, reading.ends)
    if negated and holds_only_without(parse, reading.trigger):
        return
    speculative = is_speculative(parse, reading.trigger)
    text = parse.text(reading.words)
    word = parse.units[reading.trigger.i].attached or reading.trigger.lower_
    for subject, thing in pairs:
        head, tail = (thing, subject) if reading.meaning.inverted else (subject, thing)
        signed = _signed(_brought_about(parse, reading.meaning.predicate, head, tail), head, tail)
        if signed is None:
            continue
        predicate, is_swapped = signed
        if is_swapped:
            head, tail = tail, head
        fitting = _fitting(predicate, _category(parse, head), _category(parse, tail), word)
        if fitting is None:
            continue
        turns = head.turned + tail.turned
        yield Statement(
            head=head.mention,
            tail=tail.mention,
            predicate=fitting,
            predicate_text=text,
            negated=negated != (subject.denied or thing.denied),
            speculative=speculative,
            confidence=round(CONFIDENCE[reading.pattern] * TURNED_FACTOR**turns, 4),
            head_phrase=head.phrase,
            tail_phrase=tail.phrase,
        )


def _brought_about(parse: Parse, predicate: str, head: Argument, tail: Argument) -> str:
    """What a cause does to what it has a noun for: it raises molecules and cells, and lowers what it causes a loss of."""
    if predicate == "activates" and tail.quantity:
        return "increases"
    if predicate not in ("causes", "prevents"):
        return predicate
    is_fitting = fits(predicate, _category(parse, head), _category(parse, tail))
    if predicate == "prevents":
        return predicate if is_fitting else "decreases"
    return "increases" if not is_fitting or (tail.turned and tail.risk is None) else predicate


def _signed(predicate: str, head: Argument, tail: Argument) -> tuple[str, bool] | None:
    """The predicate after turned signs and risks, and whether head and tail swap; `None` if it says nothing then."""
    if PREDICATES[predicate].symmetric and head.risk is not None and tail.risk is None:
        signed = _signed(predicate, tail, head)
        return None if signed is None else (signed[0], not signed[1])
    if head.risk is not None:
        return None
    if head.blurred or tail.blurred:
        if tail.risk is not None:  # "mutations in X raise the risk of Y": not said what X does to it
            return None if tail.blurred else ("associated_with", False)
        blurred = _BLURRED.get(predicate, predicate)
        return (blurred, False) if blurred else None
    if tail.risk is not None:
        predicate = _of_risk(predicate, tail.risk)
    if (head.turned + tail.turned) % 2 == 0 and predicate in _OPPOSITE:
        return predicate, False
    if not head.turned and not tail.turned:
        return predicate, False
    if predicate in _OPPOSITE:
        return _OPPOSITE[predicate], False
    unsigned = None if predicate == "prevents" and tail.risk is not None else _UNSIGNED.get(predicate)
    return None if unsigned is None else (unsigned, False)


def _of_risk(predicate: str, change: int) -> str:
    """What a predicate says of a disorder when it speaks of the risk of it."""
    if predicate in _LOWERING:
        return "prevents"
    if predicate in _RAISING:
        return "prevents" if change < 0 else "predisposes"
    return {1: "predisposes", -1: "prevents"}.get(change, "associated_with")


def _fitting(predicate: str, head: str, tail: str, word: str) -> str | None:
    """The predicate if it can relate the two categories, else a weaker one that can."""
    is_onset = predicate == "increases" and word.startswith(("induc", "provok"))
    if is_onset and group_of(tail) == DISORDER:
        return "causes"
    if predicate == "regulates" and word.startswith("affect") and group_of(tail) == ANATOMY:
        return "located_in" if group_of(head) == DISORDER else None  # "lesions affecting the skin"
    if (
        predicate == "regulates"
        and word.startswith("affect")
        and (group_of(head), group_of(tail)) == _OF_HOST
    ):
        return "associated_with"  # "a disease that affects camels": they have it
    if word.startswith(("link", "connect")) and group_of(head) == group_of(tail) == CHEMICAL:
        return None  # "pomalidomide linked to JQ1": a bond
    if predicate == "increases" and word.startswith("caused") and group_of(tail) == ANATOMY:
        return None  # "an infection of the nerves caused by X": of the infection
    if predicate == "causes" and word.startswith(_ORIGIN_WORDS) and group_of(head) == ANATOMY:
        return None  # "tumours arising from macrophages": an origin, not a cause
    if fits(predicate, head, tail):
        return predicate
    return next((weaker for weaker in _WEAKER.get(predicate, ()) if fits(weaker, head, tail)), None)


def is_disorder(parse: Parse, argument: Argument) -> bool:
    """Whether the argument is a disorder."""
    return group_of(parse.sentence.mentions[argument.mention].category) == DISORDER


def _category(parse: Parse, argument: Argument) -> str:
    if argument.phrase is not None:
        return argument.phrase.category
    return parse.sentence.mentions[argument.mention].category

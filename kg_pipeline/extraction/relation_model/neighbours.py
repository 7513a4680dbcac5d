"""Two entities of an abstract that no sentence names together, in two sentences that follow one another.

"X is raised in these patients. It correlates with Y." says something of X and Y, and so do many pairs of sentences
that do not. What the model sees: where the two are named in the abstract (`passage`), the words that follow the first
and lead up to the second one, how the second sentence begins, and which relations the words of both can state.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.relation_model.features import SentenceView
from kg_pipeline.extraction.relation_model.pairs import are_related_groups
from kg_pipeline.extraction.relation_model.passage import EntityPair

_AROUND = 3  # words looked at beside either mention
_OPENING = 3  # words of the second sentence that may refer back
_MOST_ALIKE = 4
#: Features of `passage` that tell places and not words begin so.
_PLACE = "a "


@dataclass(frozen=True, slots=True)
class NeighbourPair:
    """Two entities in neighbouring sentences: `sentence` is the number of the first, `mentions` are indices in either.

    `is_denied`: a word of one of the two sentences denies something.
    """

    first: str
    second: str
    sentence: int
    mentions: tuple[int, int]
    features: tuple[str, ...]
    is_denied: bool


def neighbour_pairs(
    views: Mapping[int, SentenceView],
    pairs: Iterable[EntityPair],
    entities_of: Callable[[MentionSpan], Collection[str]],
) -> Iterator[NeighbourPair]:
    """Pairs of entities that share no sentence, in each two neighbouring sentences that name them, the title left out.

    Parameters
    ----------
    views
        Sentences by number; number 0 is the title. Those that name nothing may be missing.
    pairs
        The entities of the abstract in pairs.
    entities_of
        The identifiers of a mention.

    """
    apart = {frozenset((pair.first, pair.second)): pair for pair in pairs if not pair.sentences}
    for number in sorted(views):
        if number == 0 or number + 1 not in views:
            continue
        first, second = views[number], views[number + 1]
        named = _last_mentions(first, entities_of), _first_mentions(second, entities_of)
        for a, i in sorted(named[0].items()):
            for b, j in sorted(named[1].items()):
                pair = apart.get(frozenset((a, b)))
                if pair is None or not are_related_groups(first.group(i), second.group(j)):
                    continue
                found = (
                    *(each for each in pair.features if each.startswith(_PLACE)),
                    *_features(first, i, second, j),
                )
                yield NeighbourPair(
                    a, b, number, (i, j), tuple(dict.fromkeys(found)), first.denies or second.denies
                )


def _features(first: SentenceView, i: int, second: SentenceView, j: int) -> list[str]:
    groups = f"{first.group(i)},{second.group(j)}"
    after, before = first.words_after(i), second.words_before(j)
    opening = [*before, "", *second.words_after(j)][:_OPENING]
    others = _counts(first), _counts(second)
    return [
        f"n {groups}",
        *(f"n x {word}" for word in after),
        *(f"n y {word}" for word in before),
        *(f"n open {word}" for word in opening),
        f"n opens {' '.join(opening[:2])}",
        *(f"n l1 {word}" for word in first.words_before(i)[-_AROUND:]),
        *(f"n r1 {word}" for word in after[:_AROUND]),
        *(f"n l2 {word}" for word in before[-_AROUND:]),
        *(f"n r2 {word}" for word in second.words_after(j)[:_AROUND]),
        *(f"n t1 {each}" for each in first.predicates),
        *(f"n t2 {each}" for each in second.predicates),
        f"n roles {first.role(i)} {second.role(j)} {groups}",
        f"n role1 {first.role(i)}",
        f"n role2 {second.role(j)}",
        f"n alike1 {min(_MOST_ALIKE, others[0].count(first.group(i)))}",
        f"n alike2 {min(_MOST_ALIKE, others[1].count(second.group(j)))}",
        f"n rival1 {second.group(j) in others[0]}",
        f"n rival2 {first.group(i) in others[1]}",
    ]


def _counts(view: SentenceView) -> Sequence[str]:
    return [view.group(i) for i in range(len(view.parse.sentence.mentions))]


def _last_mentions(
    view: SentenceView, entities_of: Callable[[MentionSpan], Collection[str]]
) -> dict[str, int]:
    """The last mention of each entity of a sentence."""
    return {
        entity: i for i, mention in enumerate(view.parse.sentence.mentions) for entity in entities_of(mention)
    }


def _first_mentions(
    view: SentenceView, entities_of: Callable[[MentionSpan], Collection[str]]
) -> dict[str, int]:
    found: dict[str, int] = {}
    for i, mention in enumerate(view.parse.sentence.mentions):
        for entity in entities_of(mention):
            found.setdefault(entity, i)
    return found

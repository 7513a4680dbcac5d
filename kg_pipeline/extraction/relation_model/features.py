"""What the relation model sees of two mentions in a parsed sentence: features as short strings.

The set follows the linear baselines of chemical-protein and drug-drug extraction (Peng et al. 2018,
doi:10.1093/database/bay073): words between and around, the shortest dependency path, distance, other entities in
between; and what the rules of this package read there. Names of the entities are no features, so that the model
learns how relations are worded and not which ones there are. Features that hold the groups of both entities contain
`@`; a corpus that does not say which is the gene trains on the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.inflection import singular
from kg_pipeline.extraction.lexicon.predicate_lexicon import (
    EVENT_NOUNS,
    PARTICIPLES,
    RELATION_NOUNS,
    ROLE_NOUNS,
    verb_forms,
    verb_meanings,
)
from kg_pipeline.extraction.rules.negation import is_negated, is_speculative
from kg_pipeline.vocabulary.categories import group_of

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.rules.triples import OfflineTriple
    from kg_pipeline.extraction.syntax.sentence_parser import Parse

GROUPED = "@"
_ENTITY = "ENTITY"
_NUMBER = re.compile(r"[\d.,%+\-/–]+")
_AROUND = 3  # words looked at before the first and after the second mention
_LONGEST_BETWEEN = 40  # words; of a longer gap both ends are looked at
_LONGEST_PATH = 12  # steps; a longer path says nothing any more
_LONGEST_PHRASE = 4  # words between that are one feature as a whole
_SHORTEST_GAP = 3  # characters between that are a feature: "(", "/", "-"
_DISTANCES = (0, 1, 2, 3, 5, 8, 12, 20, 40)
_MOST_OTHERS = 5
_DENIALS = frozenset(
    {"not", "no", "never", "neither", "nor", "without", "lack", "fail", "unable", "absence", "n't"}
)
#: Words that cut a thing off from what is said: joined to it ("X-independent"), or on the path to it.
_JOINED_DENIALS = frozenset({"independent", "free", "negative", "insensitive", "naive", "naïve", "unrelated"})
_SEVERING = frozenset(
    {
        *(
            "independent",
            "independently",
            "irrespective",
            "regardless",
            "unrelated",
            "absent",
            "undetectable",
        ),
        *("reject", "refute", "disprove", "exclude"),
    }
)


@dataclass(frozen=True, slots=True)
class PairView:
    """Two mentions of a sentence by index, the earlier first, and what the model sees of them.

    `path` are the tokens on the dependency path between the two, without the two; empty where there is none.
    """

    first: int
    second: int
    features: tuple[str, ...]
    path: tuple[Token, ...]
    is_denied: bool
    is_doubted: bool


@dataclass(frozen=True)
class SentenceView:
    """What all pairs of a parsed sentence share; `triples` are those that the rules read in it."""

    parse: Parse
    triples: Sequence[OfflineTriple]
    _groups: list[str] = field(init=False)
    _tokens: list[int] = field(init=False)
    _words: list[str] = field(init=False)
    _triggers: list[str] = field(init=False)
    _read: dict[tuple[str, str], list[str]] = field(init=False)

    def __post_init__(self) -> None:
        parse = self.parse
        computed = {
            "_groups": [group_of(mention.category) for mention in parse.sentence.mentions],
            "_tokens": _tokens_of_mentions(parse),
            "_words": [_word(parse, token) for token in parse.doc],
            "_triggers": [_trigger(parse, token) for token in parse.doc],
            "_read": _readings(self.triples),
        }
        for name, value in computed.items():
            object.__setattr__(self, name, value)

    def pair(self, first: int, second: int) -> PairView:
        """The view of two mentions, by index; `first` begins before `second`."""
        groups = f"{GROUPED}{self._groups[first]},{self._groups[second]}"
        i, j = self._tokens[first], self._tokens[second]
        low, high = min(i, j), max(i, j)
        steps, path = self._path(i, j)
        denied = [token for token in path if is_negated(self.parse, token)]
        doubted = any(is_speculative(self.parse, token) for token in path if self._triggers[token.i])
        found = [
            f"g {groups}",
            *self._around(low, high),
            *self._between(low, high, groups),
            *self._path_features(steps, path, groups),
            *(f"neg {self._triggers[token.i]}" for token in denied if self._triggers[token.i]),
            *self._rules(first, second, groups),
            *self._gap(first, second),
        ]
        if doubted:
            found.append("doubt")
        on_path = {self._words[token.i] for token in path}
        words = {*self._words[low + 1 : high], *on_path}
        if words & _DENIALS:
            found.append("denial")
        joined = {self.parse.units[each].attached for each in (i, j) if self.parse.units}
        is_denied = bool(denied or words & _DENIALS or on_path & _SEVERING or joined & _JOINED_DENIALS)
        return PairView(first, second, tuple(dict.fromkeys(found)), path, is_denied, doubted)

    def group(self, mention: int) -> str:
        """The group of a mention's category."""
        return self._groups[mention]

    def words_before(self, mention: int) -> list[str]:
        """The words of the sentence before a mention, as features have them."""
        return self._words[: self._tokens[mention]]

    def words_after(self, mention: int) -> list[str]:
        """The words of the sentence after a mention, as features have them."""
        return self._words[self._tokens[mention] + 1 :]

    def role(self, mention: int) -> str:
        """The dependency label of a mention."""
        return str(self.parse.doc[self._tokens[mention]].dep_) if len(self.parse.doc) else ""

    @property
    def stating(self) -> list[Token]:
        """The words of the sentence that can state a relation."""
        return [token for token in self.parse.doc if self._triggers[token.i]]

    @property
    def predicates(self) -> list[str]:
        """The predicates that words of the sentence can state."""
        return [trigger for trigger in self._triggers if trigger]

    @property
    def denies(self) -> bool:
        """Whether any word of the sentence denies something."""
        return not _DENIALS.isdisjoint(self._words)

    def distance(self, first: int, second: int) -> int:
        """Tokens from one mention to the other."""
        return abs(self._tokens[second] - self._tokens[first])

    def predicates_of(self, tokens: Iterable[Token]) -> set[str]:
        """The predicates that these words of the sentence can state."""
        return {self._triggers[token.i] for token in tokens} - {""}

    def words_of_path(self, first: int, second: int) -> tuple[int, bool] | None:
        """How many words lie on the dependency path of two mentions, and whether one can state a relation.

        `None` where no path leads from one to the other.
        """
        steps, path = self._path(self._tokens[first], self._tokens[second])
        return (len(path), any(self._triggers[token.i] for token in path)) if steps else None

    def _around(self, low: int, high: int) -> list[str]:
        before = self._words[max(0, low - _AROUND) : low]
        after = self._words[high + 1 : high + 1 + _AROUND]
        return [
            *(f"l {word}" for word in before),
            *(f"r {word}" for word in after),
            *(f"l1 {word}" for word in before[-1:]),
            *(f"r1 {word}" for word in after[:1]),
            f"l2 {' '.join(before[-2:])}",
            f"r2 {' '.join(after[:2])}",
        ]

    def _between(self, low: int, high: int, groups: str) -> list[str]:
        words = self._words[low + 1 : high]
        distance = sum(len(words) >= each for each in _DISTANCES)
        others = sum(unit.mention is not None for unit in self.parse.units[low + 1 : high])
        if len(words) > _LONGEST_BETWEEN:
            words = [*words[: _LONGEST_BETWEEN // 2], *words[-_LONGEST_BETWEEN // 2 :]]
        found = [f"d {distance}", f"d {distance} {groups}", f"o {min(others, _MOST_OTHERS)}"]
        found += [feature for word in words for feature in (f"b {word}", f"b {word} {groups}")]
        found += [f"bb {a} {b}" for a, b in pairwise(words)]
        found += [f"t {trigger}" for trigger in self._triggers[low + 1 : high] if trigger]
        if len(words) <= _LONGEST_PHRASE:
            found.append(f"w {' '.join(words)}")
        return found

    def _path(self, i: int, j: int) -> tuple[list[str], tuple[Token, ...]]:
        """Labels along the dependency path, and the tokens on it without its ends."""
        doc = self.parse.doc
        up, down = _branches(doc[i], doc[j])
        if not up:
            return [], ()
        steps = [f"<{token.dep_}" for token in up[:-1]] + [f">{token.dep_}" for token in reversed(down)]
        whole = [*up, *reversed(down)]
        return steps, tuple(whole[1:-1])

    def _path_features(self, steps: list[str], path: tuple[Token, ...], groups: str) -> list[str]:
        if not steps:
            return ["p none"]
        found = [f"pd {min(len(steps), _LONGEST_PATH)}"]
        if len(steps) > _LONGEST_PATH:
            return [*found, "p long"]
        words = [self._words[token.i] for token in path]
        found += [f"pp {' '.join(steps)}", f"pw {' '.join(words)}"]
        found += [feature for word in words for feature in (f"p {word}", f"p {word} {groups}")]
        found += [f"pb {a} {b}" for a, b in pairwise(words)]
        found += [f"ps {a} {b}" for a, b in pairwise(steps)]
        found += [f"pe {word} {steps[0]} {steps[-1]}" for word in words]
        found += [f"pr {self._triggers[token.i]}" for token in path if self._triggers[token.i]]
        return found

    def _rules(self, first: int, second: int, groups: str) -> list[str]:
        mentions = self.parse.sentence.mentions
        read = self._read.get((mentions[first].mention_id, mentions[second].mention_id), [])
        if not read:
            return ["rule none"]
        return ["rule", *(f"rule {each}" for each in read), *(f"rule {each} {groups}" for each in read)]

    def _gap(self, first: int, second: int) -> list[str]:
        sentence = self.parse.sentence
        ends = sentence.mentions[first].end, sentence.mentions[second].start
        gap = sentence.text[ends[0] - sentence.start : ends[1] - sentence.start]
        return [f"gap {gap}"] if len(gap) <= _SHORTEST_GAP else []


def _word(parse: Parse, token: Token) -> str:
    unit = parse.units[token.i]
    if unit.mention is not None:
        return f"{_ENTITY}-{unit.attached}" if unit.attached else _ENTITY
    return "0" if _NUMBER.fullmatch(token.lower_) else token.lemma_.lower()


def _trigger(parse: Parse, token: Token) -> str:
    """The predicate that a word can state; empty for none."""
    unit = parse.units[token.i]
    if unit.mention is not None:
        return PARTICIPLES.get(unit.attached, "")
    verb = verb_forms().get(token.lower_)
    if verb is not None:
        return next(iter(verb_meanings()[verb].values())).predicate
    word = singular(token.lower_)
    if word in ROLE_NOUNS:
        return ROLE_NOUNS[word].predicate
    return EVENT_NOUNS.get(word) or RELATION_NOUNS.get(word) or ""


def _tokens_of_mentions(parse: Parse) -> list[int]:
    """The token that stands for each mention; of one left out with its parentheses, the token before them."""
    of_unit = {unit.mention: i for i, unit in enumerate(parse.units) if unit.mention is not None}
    found = []
    for index, mention in enumerate(parse.sentence.mentions):
        start = mention.start - parse.sentence.start
        before = sum(unit.start <= start for unit in parse.units) - 1
        found.append(of_unit.get(index, max(before, 0)))
    return found


def _readings(triples: Iterable[OfflineTriple]) -> dict[tuple[str, str], list[str]]:
    """What the rules read from one mention to another one, by their ids, with the way it goes."""
    read: dict[tuple[str, str], list[str]] = {}
    for triple in triples:
        flags = ("not " if triple.negated else "") + ("maybe " if triple.speculative else "")
        for a, b, way in ((triple.head, triple.tail, ">"), (triple.tail, triple.head, "<")):
            read.setdefault((a.mention_id, b.mention_id), []).append(f"{flags}{triple.predicate}{way}")
    return read


def _branches(a: Token, b: Token) -> tuple[list[Token], list[Token]]:
    """The tokens from `a` up to the lowest common head, and from `b` to below it; none across two roots."""
    up = [a]
    while up[-1].head.i != up[-1].i:
        up.append(up[-1].head)
    places = {token.i: place for place, token in enumerate(up)}
    down = [b]
    while down[-1].i not in places:
        if down[-1].head.i == down[-1].i:
            return [], []
        down.append(down[-1].head)
    return up[: places[down[-1].i] + 1], down[:-1]

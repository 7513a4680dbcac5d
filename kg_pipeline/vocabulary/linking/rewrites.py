"""Other ways to say a name, from near to far, each a question to the vocabulary.

`rewrites` applies small rules again and again and yields what they make, cheapest first: word order (`anemia,
aplastic`), plurals inside a name, organ words (`renal` for `kidney`), words for disorders, adjectives (`hypertensive`),
brackets, and words left out. What leaves a word out that carries content is `broader`: the name then stands for
something more general, and is no ground for a merge.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kg_pipeline.vocabulary.categories import CHEMICAL, DISORDER, GENE, group_of
from kg_pipeline.vocabulary.linking.rewrite_words import (
    ADJECTIVE_ENDINGS,
    COMMON_SALTS,
    DISORDER_HEADS,
    ELEMENTS,
    EMPTY_CHEMICAL_TAILS,
    EMPTY_DISORDER_TAILS,
    EMPTY_GENE_TAILS,
    IONS,
    LOOSE_DISORDER_TAILS,
    NEUTRAL_LEADS,
    ORGANS,
    SALT_TAILS,
    SAME_HEADS,
    SHORTHANDS,
)
from kg_pipeline.vocabulary.names.variants import singular_word

#: Forms tried for one name, and the highest cost of one.
MAX_FORMS = 80
MAX_COST = 0.8
_SHORTEST_DRUG = 6
#: What it costs to put a salt behind a drug: so much that the drug is not left out again as a word in front of the salt.
_ADDED_SALT_COST = 0.55
#: From this cost on a form says something more general than the name.
BROADER_COST = 0.3


@dataclass(frozen=True, slots=True, order=True)
class Rewrite:
    """A form of a name, what it cost to get there, and the rule that cost most."""

    cost: float
    form: str
    rule: str


_Rule = Callable[[str], Iterator[tuple[str, float, str]]]
_BRACKET = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*")
_INDEX = re.compile(r"(?<=\w)\((\d{1,2}[A-Za-z]?|[A-Z])\)")
_OF = re.compile(r"^(.{3,60}?) (?:of|in|to|from) (?:the |an? )?(.{3,60})$")
_AND = re.compile(r"^([\w-]{3,30})(?:,| and| or|/| and/or) ([\w-]{3,30}) (.{3,40})$")
_LATIN_GREEK = {"a": "alpha", "b": "beta", "g": "gamma", "d": "delta", "k": "kappa"}
_LATIN_LEAD = re.compile(r"^([abgdk])-(?=[a-z]{4})")
_LATIN_TAIL = re.compile(r"(?<=[A-Z0-9])-?([abgd])(?=\d?$)")
_STEREO = re.compile(r"^(?:\((?:[+\-±]|\+/-|[RSEZ]|[0-9RS,]+)\)-?|(?:[DL]|DL|dl|d|l|rac|all-trans|cis|trans|[EZRS])-)(?=\w)")  # fmt: skip
_INDUCED = re.compile(
    r"^(?:[\w()+,'-]+[ -])+?(?:induced|associated|related|mediated|linked|dependent|resistant|positive|negative|deficient|type|like) ",
    re.IGNORECASE,
)
_SPECIES_PREFIX = re.compile(r"^(?:h|m|r|hs|mm|rn)(?=[A-Z]{2,})")


def _by_word(groups: tuple[frozenset[str], ...]) -> dict[str, frozenset[str]]:
    members = {word for group in groups for word in group}
    return {
        word: frozenset().union(*(group for group in groups if word in group)) - {word} for word in members
    }


_ORGAN, _LIKE, _SAME = _by_word(ORGANS), _by_word(DISORDER_HEADS), _by_word(SAME_HEADS)


def rewrites(name: str, category: str) -> Iterator[Rewrite]:
    """Forms of a name of that category, cheapest first, the name itself at cost 0."""
    rules = _RULES.get(group_of(category), _COMMON)
    queue = [Rewrite(0.0, name, "")]
    seen = {name}
    count = 0
    while queue and count < MAX_FORMS:
        current = heapq.heappop(queue)
        count += 1
        yield current
        for rule in rules:
            for form, cost, label in rule(current.form):
                total = round(current.cost + cost, 3)
                if len(form) > 1 and form not in seen and total <= MAX_COST:
                    seen.add(form)
                    # Rules that cost nearly nothing do not hide the one that matters.
                    heapq.heappush(
                        queue,
                        Rewrite(total, form, label if cost > 0.03 or not current.rule else current.rule),
                    )


def _brackets(name: str) -> Iterator[tuple[str, float, str]]:
    """`hepatocyte nuclear factor (HNF)-6` without its bracket, `CB(1)` and `5-HT(3)` with the digit only."""
    joined = _INDEX.sub(r"\1", name)
    if joined != name:
        yield joined, 0.01, "bracket"
    if ("(" in name or "[" in name) and not _STEREO.match(name):
        without = " ".join(_BRACKET.sub(" ", name).split()).replace(" -", "-").replace("- ", "-")
        if len(without) > 2:
            yield without.strip(" -"), 0.05, "bracket"


def _order(name: str) -> Iterator[tuple[str, float, str]]:
    """`anemia, aplastic` and `cancer of the lung` in their natural order."""
    parts = name.split(", ")
    if len(parts) == 2:
        yield f"{parts[1]} {parts[0]}", 0.02, "word order"
    found = _OF.match(name)
    if found:
        yield f"{found[2]} {found[1]}", 0.04, "word order"


def _coordination(name: str) -> Iterator[tuple[str, float, str]]:
    """`pulmonary and renal insufficiency` as either of the two."""
    found = _AND.match(name)
    if found:
        head = f"{found[2]} {found[3]}"
        yield head, 0.2, "coordination"
        yield f"{found[1]} {found[3]}", 0.21, "coordination"


def _greek(name: str) -> Iterator[tuple[str, float, str]]:
    """`b-catenin` and `HIF-1a` with the Greek letter that is meant."""
    leading = _LATIN_LEAD.sub(lambda found: _LATIN_GREEK[found[1]] + "-", name)
    if leading != name:
        yield leading, 0.04, "Greek letter"
    ending = _LATIN_TAIL.sub(lambda found: f"-{_LATIN_GREEK[found[1]]}", name)
    if ending != name:
        yield ending, 0.04, "Greek letter"


def _plurals(name: str) -> Iterator[tuple[str, float, str]]:
    """Every word in the singular."""
    one = " ".join(singular_word(word) for word in name.split())
    if one != name:
        yield one, 0.01, "plural"


def _exchange(others: dict[str, frozenset[str]], cost: float, label: str) -> _Rule:
    """A rule that puts another word for each word of the name, one at a time."""

    def rule(name: str) -> Iterator[tuple[str, float, str]]:
        parts = name.split()
        for index, word in enumerate(parts):
            lower = word.lower()
            for other in sorted(others.get(lower) or others.get(singular_word(lower)) or frozenset()):
                yield " ".join([*parts[:index], other, *parts[index + 1 :]]), cost, label

    return rule


def _adjectives(name: str) -> Iterator[tuple[str, float, str]]:
    """`hypertensive` as `hypertension`, whether it stands alone or behind other words."""
    head, _, word = name.rpartition(" ")
    lower = word.lower()
    if len(lower) < 5:
        return
    for ending, nouns in ADJECTIVE_ENDINGS:
        if lower.endswith(ending):
            for noun in nouns:
                form = lower.removesuffix(ending) + noun
                yield f"{head} {form}".strip(), 0.08, "adjective"


def _tails(empty: frozenset[str], cost: float, label: str) -> _Rule:
    """A rule that leaves out the last word of a name."""

    def rule(name: str) -> Iterator[tuple[str, float, str]]:
        head, _, word = name.rpartition(" ")
        if head and word.lower() in empty:
            yield head, cost, label

    return rule


def _leads(name: str) -> Iterator[tuple[str, float, str]]:
    word, _, rest = name.partition(" ")
    if rest and word.lower() in NEUTRAL_LEADS:
        yield rest, 0.12, "qualifier"


def _general(name: str) -> Iterator[tuple[str, float, str]]:
    """The name without its first words: a more general thing."""
    found = _INDUCED.match(name)
    if found and found.end() < len(name):
        yield name[found.end() :], BROADER_COST, "broader"
    rest = name.partition(" ")[2]
    if len(rest) > 3:
        yield rest, BROADER_COST + 0.02, "broader"


def _salts(name: str) -> Iterator[tuple[str, float, str]]:
    head, _, word = name.rpartition(" ")
    if head and word.lower() in SALT_TAILS:
        yield head, BROADER_COST, "salt"


def _salt_of(name: str) -> Iterator[tuple[str, float, str]]:
    """The salts of a drug that a vocabulary may have as a salt only: tiapride, by its hydrochloride."""
    if len(name) >= _SHORTEST_DRUG and name.isalpha():
        for salt in COMMON_SALTS:
            yield f"{name} {salt}", _ADDED_SALT_COST, "salt"


def _chemical_spelling(name: str) -> Iterator[tuple[str, float, str]]:
    """Ions, stereo prefixes, and an acid for its anion."""
    # A symbol of an element has a capital: Na is sodium, na is not available.
    is_symbol = len(name) > 2 or not name.islower()
    ion = IONS.get(name.lower().replace(" ", ""))
    if ion and is_symbol:
        yield ion, 0.02, "ion"
    element = ELEMENTS.get(name.lower())
    if element and is_symbol:
        yield element, 0.05, "element"
    shorthand = SHORTHANDS.get(name.lower())
    if shorthand:
        yield shorthand, 0.05, "shorthand"
    plain = _STEREO.sub("", name)
    if plain != name:
        yield plain, 0.2, "stereochemistry"
    lower = name.lower()
    if lower.endswith("ate") and len(lower) > 6:
        yield lower.removesuffix("ate") + "ic acid", 0.06, "anion"
    if lower.endswith("ic acid") and len(lower) > 9:
        yield lower.removesuffix("ic acid") + "ate", 0.06, "anion"
    if lower.endswith("s") and "-" in lower:
        yield name[:-1], 0.03, "plural"


def _gene_spelling(name: str) -> Iterator[tuple[str, float, str]]:
    """A symbol in the case of human genes, and without the prefix of a species or a proto-oncogene."""
    compact = "".join(name.split())
    if name != name.upper() and len(compact) <= 12 and " " not in name:
        yield name.upper(), 0.1, "case"
    plain = _SPECIES_PREFIX.sub("", name)
    if plain != name:
        yield plain, 0.08, "species prefix"
    if name.lower().startswith(("c-", "pro-", "p-")) and len(name) > 4:
        yield name.partition("-")[2], 0.15, "prefix"
    if name.endswith("R") and len(name) > 3 and name[:-1].isupper():
        yield f"{name[:-1]} receptor", 0.1, "receptor"
    if " receptor" in name and len(name.split()[0]) <= 6:
        yield name.replace(" receptor", "R"), 0.1, "receptor"
    joined = re.sub(r"[\s-]+(?=\d)", "", name)
    if joined != name and len(joined) <= 12:
        yield joined, 0.02, "spelling"


_COMMON: tuple[_Rule, ...] = (_brackets, _order, _plurals, _leads, _coordination, _general)
_RULES: dict[str, tuple[_Rule, ...]] = {
    DISORDER: (
        _brackets, _order, _plurals, _exchange(_ORGAN, 0.05, "organ"), _exchange(_SAME, 0.06, "head synonym"),
        _exchange(_LIKE, 0.1, "head noun"), _adjectives, _greek, _tails(EMPTY_DISORDER_TAILS, 0.06, "empty word"),
        _tails(LOOSE_DISORDER_TAILS, 0.08, "other head"), _leads, _coordination, _general,
    ),
    CHEMICAL: (_brackets, _order, _plurals, _chemical_spelling, _greek, _tails(EMPTY_CHEMICAL_TAILS, 0.06, "empty word"), _salts, _salt_of, _leads, _general),
    GENE: (_brackets, _order, _plurals, _gene_spelling, _greek, _tails(EMPTY_GENE_TAILS, 0.06, "empty word"), _leads, _general),
}  # fmt: skip

"""Forms to entities, guarded: the concept decides; forms without one group by spelling, under the vetoes.

1. Forms linked to one concept are one entity, as far as their categories are compatible and no word tells them apart.
2. A form without a concept joins the concept that has a form of the same spelling, if there is exactly one.
3. The others are grouped: blocked by spelling keys, joined only where every pair of the group passes the guards.

The result depends on the set of forms only, not on their order, and what an article brought goes when it goes.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from kg_pipeline.fingerprint import short_digest
from kg_pipeline.vocabulary.categories import OTHER, compatible, group_of, priority
from kg_pipeline.vocabulary.guards.qualified import marked_first, told_apart
from kg_pipeline.vocabulary.guards.vetoes import Named, veto
from kg_pipeline.vocabulary.names.name_parts import parts_of, same_spelling, spelling_keys
from kg_pipeline.vocabulary.names.symbols import SHORT, is_symbol

SAME_CONCEPT = "same_concept"
SPELLING_VARIANT = "spelling_variant"
ABBREVIATION = "abbreviation"
EGOT_STEM = "egot_stem"
#: How sure a merge by spelling is; that of a concept is the score of its candidate.
SPELLING_SCORE = 0.95
#: A block with more forms than this is cut to exact spellings: no real name has so many.
MAX_BLOCK = 200


#: What ids of entities begin with that no vocabulary knows.
LOCAL = "LOCAL:"


@dataclass(frozen=True, slots=True, order=True)
class Form:
    """A normal form with its category and concept, and how often the corpus has it.

    `is_open` tells that the vocabulary offered several readings and none was accepted; such a form is not joined to a
    concept by its spelling. `evidence` is the first mention of the form. `joined_to`, `is_foreign` and `vetoes` are set
    here: the concept it joined by spelling, that its own concept was refused because the categories differ, and what kept
    it apart from other forms, by guard reason (its words up to the colon); `adjudicated_to` and `pinned_to` are the
    entities that a language model's verdict and a person's decision joined it to.
    """

    name: str
    category: str
    concept_id: str | None = None
    count: int = 1
    evidence: str = ""
    score: float = 1.0
    is_open: bool = False
    joined_to: str | None = None
    is_foreign: bool = False
    adjudicated_to: str | None = None
    pinned_to: str | None = None
    vetoes: tuple[str, ...] = ()

    @property
    def link(self) -> str | None:
        """The concept the form stands for after standardisation: its own, the one it joined, or none."""
        return None if self.is_foreign else self.concept_id or self.joined_to

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells forms apart: name, category and concept."""
        return self.name, self.category, self.concept_id or ""

    @property
    def named(self) -> Named:
        """The form as guards see it."""
        return Named(self.name, self.category, self.link)


@dataclass(frozen=True, slots=True)
class Cluster:
    """Forms that are one entity."""

    entity_id: str
    name: str
    category: str
    forms: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Standardised:
    """Clusters by entity id."""

    clusters: tuple[Cluster, ...]

    @property
    def vetoed(self) -> Counter[str]:
        """How many pairs of forms were kept apart, by guard reason."""
        forms = (form for cluster in self.clusters for form in cluster.forms)
        return Counter(reason for form in forms for reason in form.vetoes)


def standardise(forms: Iterable[Form]) -> Standardised:
    """Group forms into entities by the guarded rules."""
    linked: dict[str, list[Form]] = defaultdict(list)
    unlinked: list[Form] = []
    for form in sorted(forms, key=lambda form: form.key):
        (linked[form.concept_id] if form.concept_id else unlinked).append(form)
    for concept_id in sorted(linked):
        linked[concept_id], foreign = _of_one_group(linked[concept_id])
        linked[concept_id], special = _without_special(linked[concept_id])
        unlinked += [_refused(form, "categories differ") for form in foreign]
        unlinked += [_refused(form, "one is qualified") for form in special]
    unlinked = _join_by_spelling(unlinked, linked)
    clusters = [cluster_of(concept_id, members) for concept_id, members in linked.items()]
    for members in _group_by_spelling(unlinked):
        first = min(members, key=lambda form: form.key)
        local = f"{LOCAL}{short_digest(group_of(first.category), *first.key)}"
        clusters.append(cluster_of(local, members))
    return Standardised(tuple(sorted(clusters, key=lambda cluster: cluster.entity_id)))


def _refused(form: Form, reason: str) -> Form:
    return replace(form, is_foreign=True, is_open=True, vetoes=(*form.vetoes, reason))


def canonical_name(forms: Sequence[Form]) -> str:
    """The name with the highest frequency times length, as in the eGoT paper (2.1); the first in order between equals."""
    counts: Counter[str] = Counter()
    for form in forms:
        counts[form.name] += form.count
    return min(counts, key=lambda name: (-counts[name] * len(name), name))


def majority_category(forms: Sequence[Form]) -> str:
    """The category most mentions have, those that tell nothing left aside; the more telling one between equals."""
    counts: Counter[str] = Counter()
    telling = [form for form in forms if group_of(form.category) != OTHER]
    for form in telling or forms:
        counts[form.category] += form.count
    return min(counts, key=lambda category: (-counts[category], priority(category), category))


def cluster_of(entity_id: str, forms: Iterable[Form]) -> Cluster:
    """The forms as one entity of that identifier, with the name and category that most of them have."""
    ordered = tuple(sorted(forms, key=lambda form: form.key))
    return Cluster(entity_id, canonical_name(ordered), majority_category(ordered), ordered)


def _of_one_group(forms: list[Form]) -> tuple[list[Form], list[Form]]:
    """Forms of the group of categories that most mentions have, and the others: a gene is not its disease."""
    main = majority_category(forms)
    kept = [form for form in forms if compatible(form.category, main)]
    return kept, [form for form in forms if not compatible(form.category, main)]


def _without_special(forms: list[Form]) -> tuple[list[Form], list[Form]]:
    """Forms of a concept, and those that a word tells from another one of them: chronic hepatitis where hepatitis is.

    Forms of the same words and numbers go together; at most `MAX_BLOCK` others, the most frequent ones, are compared with.
    """
    alike: dict[tuple[frozenset[str], frozenset[tuple[str, int]]], list[Form]] = defaultdict(list)
    for form in forms:
        parts = parts_of(form.name)
        alike[parts.words, frozenset(parts.numbers.items())].append(form)
    if len(alike) == 1:
        return forms, []
    by_name = {min(form.name for form in same): same for same in alike.values()}
    frequent = sorted(by_name, key=lambda name: (-sum(form.count for form in by_name[name]), name))
    kept = frequent[:MAX_BLOCK]
    category = majority_category(forms)
    special = []
    for name in sorted(by_name, key=marked_first):
        if any(told_apart(name, other, category) for other in kept):
            special.append(name)
            if name in kept:
                kept.remove(name)
    gone = {form.key for name in special for form in by_name[name]}
    return [form for form in forms if form.key not in gone], [form for form in forms if form.key in gone]


def _join_by_spelling(unlinked: list[Form], linked: dict[str, list[Form]]) -> list[Form]:
    # Only forms that a vocabulary linked attract others, so that joins do not depend on each other.
    by_key: dict[str, list[Form]] = defaultdict(list)
    category = {concept_id: majority_category(forms) for concept_id, forms in linked.items()}
    for forms in linked.values():
        for form in forms:
            for key in spelling_keys(form.name):
                by_key[key].append(form)
    left = []
    for form in unlinked:
        alike = {
            other.key: other for key in sorted(spelling_keys(form.name)) for other in by_key.get(key, ())
        }
        # An undefined short form is not carried from the article that defines it to one that does not.
        if not alike or form.is_open or (is_symbol(form.name) and len(form.name) <= SHORT):
            left.append(form)
            continue
        reasons = [reason for other in alike.values() if (reason := veto(form.named, other.named))]
        concept_id, *more = sorted({other.link or "" for other in alike.values()})
        if reasons or more or group_of(form.category) not in (OTHER, group_of(category[concept_id])):
            left.append(_vetoed(form, reasons))
            continue
        joined = replace(form, joined_to=concept_id)
        linked[concept_id].append(joined)
    return left


def _group_by_spelling(forms: list[Form]) -> list[list[Form]]:
    blocks: dict[str, list[Form]] = defaultdict(list)
    for form in forms:
        for key in spelling_keys(form.name):
            blocks[key].append(form)
    neighbours: dict[tuple[str, str, str], dict[tuple[str, str, str], Form]] = defaultdict(dict)
    for block in blocks.values():
        if len(block) <= MAX_BLOCK:
            for form in block:
                neighbours[form.key].update((other.key, other) for other in block if other.key != form.key)
    groups: list[list[Form]] = []
    member_of: dict[tuple[str, str, str], list[Form]] = {}
    # Frequent forms found the groups; names decide between equals, so that the order of the input does not.
    for form in sorted(forms, key=lambda form: (-form.count, form.key)):
        objections: list[str] = []
        for group in _groups_of(neighbours[form.key], member_of):
            reasons = [reason for other in group if (reason := _objection(form, other))]
            objections += reasons
            if not reasons:
                group.append(_vetoed(form, objections))
                member_of[form.key] = group
                break
        else:
            member_of[form.key] = [_vetoed(form, objections)]
            groups.append(member_of[form.key])
    return groups


def _groups_of(
    neighbours: dict[tuple[str, str, str], Form], member_of: dict[tuple[str, str, str], list[Form]]
) -> list[list[Form]]:
    found: dict[int, list[Form]] = {}
    for key in neighbours:
        if key in member_of:
            found[id(member_of[key])] = member_of[key]
    return sorted(found.values(), key=lambda group: (-group[0].count, group[0].key))


def _objection(form: Form, other: Form) -> str | None:
    if not same_spelling(form.name, other.name):
        return "spelling differs"
    return veto(form.named, other.named)


def _vetoed(form: Form, reasons: Sequence[str]) -> Form:
    kinds = tuple(reason.partition(":")[0] for reason in reasons)
    return replace(form, vetoes=(*form.vetoes, *kinds)) if kinds else form

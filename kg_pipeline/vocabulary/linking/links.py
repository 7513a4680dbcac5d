"""From a name in an article to the concept it stands for.

In this order, as Gilda does: what the article says a short form means, the name as it is, other ways to say it
(`rewrites`), each only where the vocabulary has the result, and names that resemble it, under the guards (`likeness`).
Of several concepts with one name the article decides: the species its sentence is about, and the concepts it
names in full. Every link tells its rule; `broader` ones are more general than the name.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from kg_pipeline.vocabulary.categories import CHEMICAL, GENE, ORGANISM, VARIANT, compatible, group_of
from kg_pipeline.vocabulary.guards.vetoes import Named, affixes, greek, numbers
from kg_pipeline.vocabulary.index.lookup import Candidate, Vocabulary
from kg_pipeline.vocabulary.linking.article_context import EMPTY_CONTEXT, ArticleContext
from kg_pipeline.vocabulary.linking.likeness import TYPING_ERROR, resembling
from kg_pipeline.vocabulary.linking.readings import clear_reading
from kg_pipeline.vocabulary.linking.rewrite_words import PEOPLE
from kg_pipeline.vocabulary.linking.rewrites import BROADER_COST, rewrites
from kg_pipeline.vocabulary.linking.taxa import HUMAN, MOUSE, RAT
from kg_pipeline.vocabulary.names.name_parts import parts_of
from kg_pipeline.vocabulary.names.symbols import SHORT, is_symbol
from kg_pipeline.vocabulary.names.variant_names import variant_name
from kg_pipeline.vocabulary.names.variants import normal_key, singular

#: What it costs to read a name as a concept of another category of its group (a gene as its family).
_OTHER_CATEGORY_COST = 0.01
#: What it costs more to read it as a family: the approved name of a gene comes before it, a mere synonym does not.
_FAMILY_COST = 0.05
#: A protein where a chemical is asked for.
_OTHER_GROUP_COST = 0.05
_UNSUPPORTED_COST = 0.06
_MAX_LINKS = 5
#: Rules of links that name something more general, a gene of a species that the text is not about, and what a short form
#: means to others than the article.
BROADER, SALT, OTHER_SPECIES, OTHER_MEANING = "broader", "salt", "other species", "other meaning"
#: Rules under which name and concept are one thing; a qualifier, a salt or another head noun may make another one of it.
SAME_RULES = frozenset(
    {
        "name", "ortholog", "bracket", "word order", "plural", "organ", "head synonym", "adjective", "empty word", "ion",
        "anion", "spelling", "receptor", "Greek letter", "element",
    }
)  # fmt: skip
#: Rules that write a sign out in words, so that its digits and letters are gone.
_SPELLED_OUT = frozenset({"ion", "element", "Greek letter"})
_AUTHORITIES = {"HGNC": HUMAN, "MGI": MOUSE, "RGD": RAT}
_WORD = re.compile(r"[^\s()\[\],;]+")


@dataclass(frozen=True, slots=True)
class Link:
    """A concept that a name stands for, the form of the name that the vocabulary has, and the rule that led there.

    `asked` is the name with its short forms written out, of which the rule made that form.
    """

    candidate: Candidate
    form: str
    rule: str
    asked: str

    @property
    def is_vetoed(self) -> bool:
        """Whether numbers or opposing prefixes tell the form from the name it was made of."""
        if self.asked == self.form or self.rule in _SPELLED_OUT:
            return False
        asked, form = Named(self.asked), Named(self.form)
        return any(guard(asked, form) is not None for guard in (numbers, affixes))

    @property
    def is_broader(self) -> bool:
        """Whether the concept is more general than the name."""
        return self.rule in (BROADER, SALT)

    @property
    def is_same(self) -> bool:
        """Whether the name and the concept are one thing, so that the name may be standardised to it."""
        return self.rule in SAME_RULES


def link(
    name: str,
    category: str,
    vocabulary: Vocabulary,
    context: ArticleContext = EMPTY_CONTEXT,
    position: int = 0,
) -> tuple[Link, ...]:
    """Concepts of the category's group that the name may stand for at a position of the article, best first.

    >>> link("cancer of the kidney", "biolink:Disease", vocabulary)[0].candidate.name  # doctest: +SKIP
    'kidney cancer'
    """
    if (
        group_of(category) == ORGANISM
        and normal_key(singular(name.split()[-1] if name.split() else name)) in _PEOPLE
    ):
        name = "Homo sapiens"
    if group_of(category) == VARIANT:
        return _variant(name, category)
    best: list[Link] = []
    for expanded in _expanded(name, context, position):
        found = _first(expanded, category, vocabulary, context)
        long = context.long_form(expanded, position)
        if long is not None:
            found = [_as_defined(one, long, vocabulary) for one in found]
        # What is only broader gives way to what the next expansion finds.
        if found and (not best or (best[0].is_broader and not found[0].is_broader)):
            best = found
        if best and not best[0].is_broader:
            break
    if not best or best[0].is_broader:
        whole = next(iter(_expanded(name, context, position)))
        best = _resembling(whole, category, vocabulary) or best
    if group_of(category) == GENE:
        taxon = _named_species(name) or context.taxa.at(position)
        best = list(_of_species(best, taxon, vocabulary))
    return tuple(best[:_MAX_LINKS])


def _as_defined(one: Link, long: str, vocabulary: Vocabulary) -> Link:
    """A link of a short form by itself: the same thing only where it goes with the long form that the article defines.

    APC is a gene, and nothing of the kind where it stands for antigen-presenting cells. A name of the concept must be
    another way to say the long form; letters and a number (TIM-3, HER2) are distinct enough if the number is in it.
    """
    # From here on it counts as a link of the long form, whose numbers and letters have been compared.
    spelled = replace(one, asked=long, form=long)
    concept = vocabulary.concept(one.candidate.concept_id)
    names = [name for name in (concept.names if concept else ()) if not is_symbol(name)]
    is_distinct = sum(c.isalnum() for c in one.form) >= SHORT and any(c.isdigit() for c in one.form)
    if is_distinct and numbers(Named(one.form), Named(long)) is None:
        return spelled
    if any(_say_the_same(long, name) for name in names):
        return spelled
    return replace(one, rule=OTHER_MEANING)


def _say_the_same(one: str, other: str) -> bool:
    """Whether two long forms share at least half of the words of the first one, and agree in numbers and letters."""
    content = parts_of(one).content
    shared = content & parts_of(other).content
    guards = (numbers, greek, affixes)
    return 2 * len(shared) >= len(content) > 0 and all(
        guard(Named(one), Named(other)) is None for guard in guards
    )


def _variant(name: str, category: str) -> tuple[Link, ...]:
    """A sequence variant by its number in dbSNP, or by its name after HGVS, which leaves open the gene it is in."""
    found = variant_name(name)
    if found is None:
        return ()
    authority, rule = ("DBSNP", "name") if found.startswith("rs") else ("HGVS", "variant")
    return (Link(Candidate(f"{authority}:{found}", found, category, 1.0), found, rule, found),)


def standard(
    links: Sequence[Link], vocabulary: Vocabulary, supported: Collection[str] = frozenset()
) -> Link | None:
    """The link that a name may be standardised to: a clear reading that is the same thing; None leaves it open.

    `supported` are concepts that the article names in full.
    """
    candidates = [one.candidate for one in links]
    if not links or not links[0].is_same:
        return None
    top = links[0]
    name = top.form if top.rule in _SPELLED_OUT else top.asked
    chosen = clear_reading(name, candidates, supported, vocabulary)
    best = next((one for one in links if one.candidate is chosen), None)
    return None if best is None or not best.is_same or best.is_vetoed else best


_PEOPLE = frozenset(normal_key(singular(word)) for word in PEOPLE)


def _expanded(name: str, context: ArticleContext, position: int) -> Iterable[str]:
    """The name with its short forms written out, then the name as it is."""
    whole = context.long_form(name, position)
    if whole is not None:
        yield whole
        # Its type is known, so that the short form itself may be asked for too (see `_as_defined`).
        if len(name) > 2:
            yield name
        return
    parts = []
    for match in _WORD.finditer(name):
        long = context.long_form(match[0], position)
        if long is not None and is_symbol(match[0]):
            parts.append((match.span(), long))
    if parts:
        text, end = "", 0
        for (start, until), long in parts:
            text += name[end:start] + long
            end = until
        yield text + name[end:]
    yield name


def _first(name: str, category: str, vocabulary: Vocabulary, context: ArticleContext) -> list[Link]:
    """Links of the cheapest form that the vocabulary has, best first."""
    for rewrite in rewrites(name, category):
        found = []
        fitting = [one for one in vocabulary.lookup(rewrite.form) if _fits(one, category)]
        decides = 0 < sum(one.concept_id in context.supported for one in fitting) < len(fitting)
        for candidate in fitting:
            score = candidate.score - rewrite.cost
            score -= _OTHER_CATEGORY_COST * (candidate.category != category)
            score -= _FAMILY_COST * (candidate.category == "biolink:GeneFamily")
            score -= _OTHER_GROUP_COST * (group_of(candidate.category) != group_of(category))
            # Where the article names some of the concepts in full, the others are less likely.
            score -= _UNSUPPORTED_COST * (decides and candidate.concept_id not in context.supported)
            is_broader = rewrite.cost >= BROADER_COST
            rule = rewrite.rule or "name"
            if is_broader and rule != SALT:
                rule = BROADER
            found.append(Link(replace(candidate, score=round(max(score, 0.01), 4)), rewrite.form, rule, name))
        if found:
            return sorted(found, key=lambda one: -one.candidate.score)
    return []


def _resembling(name: str, category: str, vocabulary: Vocabulary) -> list[Link]:
    """Concepts of names that resemble one the vocabulary lacks; of a typing error only where it is one concept."""
    found: dict[str, Link] = {}
    for near in resembling(name, category, vocabulary):
        for candidate in vocabulary.lookup(near.form):
            if _fits(candidate, category):
                score = round(max(candidate.score - near.cost, 0.01), 4)
                scored = replace(candidate, score=score)
                found.setdefault(candidate.concept_id, Link(scored, near.form, near.rule, name))
    links = sorted(found.values(), key=lambda one: -one.candidate.score)
    return [] if len(links) > 1 and links[0].rule == TYPING_ERROR else links


def _fits(candidate: Candidate, category: str) -> bool:
    """Whether a concept may be meant by a name of that category; a peptide hormone is a chemical as well as a protein."""
    if compatible(candidate.category, category):
        return True
    return group_of(category) == CHEMICAL and candidate.category == "biolink:Protein"


def _of_species(found: Sequence[Link], taxon: str | None, vocabulary: Vocabulary) -> Iterable[Link]:
    """Genes of the species that the place is about first: a human gene by its ortholog; those of another one say so."""
    if taxon is None:
        return found
    ours, others = [], []
    for one in found:
        own = _taxon_of(one.candidate.concept_id)
        ortholog = vocabulary.ortholog(one.candidate.concept_id, taxon) if own == HUMAN != taxon else None
        concept = vocabulary.concept(ortholog) if ortholog else None
        if concept is not None:
            candidate = replace(one.candidate, concept_id=concept.concept_id, name=concept.name)
            ours.append(Link(candidate, one.form, "ortholog" if one.is_same else one.rule, one.asked))
        elif own in (None, taxon):
            ours.append(one)
        else:
            others.append(Link(one.candidate, one.form, OTHER_SPECIES, one.asked))
    known = {one.candidate.concept_id: one for one in reversed(ours)}
    return [*(one for one in ours if known[one.candidate.concept_id] is one), *others]


def _taxon_of(concept_id: str) -> str | None:
    """Species of a gene by its identifier; None for families and proteins of any."""
    return _AUTHORITIES.get(concept_id.partition(":")[0])


def _named_species(name: str) -> str | None:
    words = set(name.lower().split())
    if words & {"human"}:
        return HUMAN
    if words & {"mouse", "murine"}:
        return MOUSE
    return RAT if "rat" in words else None

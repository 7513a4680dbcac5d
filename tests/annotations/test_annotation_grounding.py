from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from kg_pipeline.extraction.annotations.anchoring import Anchoring, Choice
from kg_pipeline.extraction.annotations.grounding import AnnotatedArticle, Sentence, ground_relation
from kg_pipeline.extraction.annotations.records import ArticleReference, BroughtEntity, BroughtRelation
from kg_pipeline.extraction.annotations.references import CrossReferences
from kg_pipeline.extraction.grounding.anchors import NAMED_THING, MentionSpan
from kg_pipeline.extraction.grounding.triples import GroundedTriple, Rejected

CHEMICAL, DISEASE, GENE = "biolink:ChemicalEntity", "biolink:Disease", "biolink:Gene"
MENTIONS = {
    "colchicine": (CHEMICAL, "CHEBI:23359"),
    "allopurinol": (CHEMICAL, "CHEBI:40279"),
    "gout": (DISEASE, "MONDO:0005393"),
    "tubulin": (GENE, "FPLX:Tubulin"),
    "CD": (DISEASE, None),
}


class References(CrossReferences):
    """Cross-references that a test writes down."""

    def __init__(self, known: Mapping[str, Sequence[str]]) -> None:
        self._concepts = {identifier: set(concepts) for identifier, concepts in known.items()}


def article(
    *sentences: tuple[str, str], choices: Mapping[str, Sequence[Choice]] | None = None
) -> AnnotatedArticle:
    """An article of sentences, each with the kind of its section, in which every name of `MENTIONS` is one."""
    text, spans = "", []
    for sentence, kind in sentences:
        spans.append(Sentence(len(text), len(text) + len(sentence), kind))
        text += f"{sentence} "
    mentions = [
        MentionSpan(f"A:{m.start()}-{m.end()}", m.start(), m.end(), m.group(), name, *MENTIONS[name])
        for name in MENTIONS
        for m in re.finditer(rf"\b{name}\b", text, re.IGNORECASE if name.islower() else 0)
    ]
    references = References(
        {"MESH:D003078": ["CHEBI:23359"], "MESH:D006073": ["MONDO:0005393"], "MESH:D1": ["C1"]}
    )
    return AnnotatedArticle(
        Anchoring(
            "A", text, tuple(sorted(mentions, key=lambda each: each.start)), (), choices or {}, references
        ),
        tuple(spans),
    )


def relation(head: str, kind: str, tail: str, **more: Any) -> BroughtRelation:
    return BroughtRelation(
        ArticleReference(own="A"), BroughtEntity((head,)), BroughtEntity((tail,)), kind, **more
    )


def stated(found: GroundedTriple | Rejected) -> tuple[str, str, str]:
    assert isinstance(found, GroundedTriple), found
    return found.head.text, found.predicate, found.tail.text


ABSTRACT = article(
    ("Colchicine and gout", "title"),
    ("We asked whether colchicine treats gout.", "abstract"),
    ("Does colchicine cure gout?", "abstract"),
    ("Colchicine relieved gout within a day.", "abstract"),
    ("Tubulin was measured.", "abstract"),
    ("Colchicine binds tubulin, as was known.", "body"),
    ("Colchicine and allopurinol were bought.", "body"),
)


def test_a_relation_without_a_quote_stands_in_the_sentence_that_states_it() -> None:
    found = ground_relation(relation("colchicine", "treat", "gout"), ABSTRACT)
    assert stated(found) == ("Colchicine", "treats", "gout")
    assert isinstance(found, GroundedTriple)
    assert found.quote == "Colchicine relieved gout within a day."
    assert (found.negated, found.speculative) == (False, False)


def test_the_rest_of_the_text_counts_where_it_has_a_word_for_the_relation() -> None:
    found = ground_relation(relation("colchicine", "Bind", "tubulin"), ABSTRACT)
    assert isinstance(found, GroundedTriple)
    assert found.quote == "Colchicine binds tubulin, as was known."
    refused = ground_relation(relation("colchicine", "Association", "allopurinol"), ABSTRACT)
    assert isinstance(refused, Rejected)
    assert refused.reason == "no_sentence_names_both"


@pytest.mark.parametrize(
    ("sentence", "negated", "speculative"),
    [
        ("Colchicine was not associated with gout.", True, False),
        ("There was no association between colchicine and gout.", True, False),
        ("Colchicine may worsen gout.", False, True),
        ("We asked whether colchicine causes gout.", False, True),
        ("Colchicine causes gout.", False, False),
    ],
)
@pytest.mark.parametrize("is_quoted", [True, False])
def test_denial_and_doubt_of_the_sentence_count_whatever_the_source_says(
    sentence: str, negated: bool, speculative: bool, is_quoted: bool
) -> None:
    quotes = (sentence,) if is_quoted else ()
    brought = relation("colchicine", "associate", "gout", quotes=quotes, is_quoted=is_quoted)
    found = ground_relation(brought, article((sentence, "abstract")))
    assert isinstance(found, GroundedTriple)
    assert (found.negated, found.speculative) == (negated, speculative)


def test_what_the_source_denies_or_doubts_stays_denied_and_doubted() -> None:
    brought = relation("colchicine", "treat", "gout", negated=True, speculative=True)
    found = ground_relation(brought, article(("Colchicine relieved gout.", "abstract")))
    assert isinstance(found, GroundedTriple)
    assert (found.negated, found.speculative) == (True, True)


@pytest.mark.parametrize("is_quoted", [True, False])
@pytest.mark.parametrize(
    ("sentence", "kind", "predicate"),
    [
        ("Blood of people with gout who took colchicine was drawn.", "treat", "associated_with"),
        ("Colchicine worsened gout.", "treat", "associated_with"),
        ("Colchicine lowered gout.", "increases", "associated_with"),
        ("Colchicine relieved gout.", "treat", "treats"),
        ("Colchicine increased gout.", "increases", "increases"),
    ],
)
def test_a_sentence_without_a_word_for_the_relation_bears_an_association_only(
    sentence: str, kind: str, predicate: str, is_quoted: bool
) -> None:
    quotes = (sentence,) if is_quoted else ()
    brought = relation("colchicine", kind, "gout", quotes=quotes, is_quoted=is_quoted)
    found = ground_relation(brought, article((sentence, "abstract")))
    assert isinstance(found, GroundedTriple)
    assert found.predicate == predicate


def test_a_correlation_is_turned_to_where_its_ends_let_it_point() -> None:
    brought = replace(
        relation("gout", "Positive_Correlation", "allopurinol"),
        head=BroughtEntity(("gout",), (), DISEASE),
        tail=BroughtEntity(("allopurinol",), (), CHEMICAL),
    )
    found = ground_relation(brought, article(("Gout was provoked by allopurinol.", "abstract")))
    assert stated(found) == ("allopurinol", "causes", "Gout")


@pytest.mark.parametrize(
    ("quote", "reason"),
    [
        ("colchicine  relieved\ngout", ""),
        ("Colchicine relieved gout within a day. Tubulin was measured.", ""),
        ("Colchicine cured gout at once", "quote_not_found"),
        ("Tubulin was measured", "head_not_anchored"),
    ],
)
def test_a_quote_has_to_be_in_the_text_and_name_both(quote: str, reason: str) -> None:
    found = ground_relation(
        relation("colchicine", "treats", "gout", quotes=(quote,), is_quoted=True), ABSTRACT
    )
    if reason:
        assert isinstance(found, Rejected)
        assert found.reason == reason
    else:
        assert isinstance(found, GroundedTriple)
        assert found.quote == "Colchicine relieved gout within a day."


@pytest.mark.parametrize(
    ("head", "kind", "tail", "reason"),
    [
        ("colchicine", "Comparison", "gout", "no_knowledge"),
        ("colchicine", "was bought with", "gout", "unknown_predicate"),
        ("gout", "treats", "tubulin", "no_sentence_names_both"),
        ("colchicine", "treats", "tubulin", "unfit_categories"),
        ("gout", "associated with", "gout", "no_sentence_names_both"),
        ("", "treats", "gout", "no_sentence_names_both"),
    ],
)
def test_why_a_relation_is_rejected(head: str, kind: str, tail: str, reason: str) -> None:
    sentences = (("Colchicine treats gout.", "abstract"), ("Colchicine spares tubulin.", "abstract"))
    found = ground_relation(relation(head, kind, tail), article(*sentences))
    assert isinstance(found, Rejected)
    assert found.reason == reason


def by_identifiers(*identifiers: str, name: str = "", category: str = NAMED_THING) -> BroughtRelation:
    head = BroughtEntity((name,) if name else (), identifiers, category)
    return BroughtRelation(
        ArticleReference(own="A"), head, BroughtEntity((), ("MESH:D006073",), DISEASE), "treat"
    )


def test_identifiers_find_the_mention_where_the_source_gives_no_name() -> None:
    assert stated(ground_relation(by_identifiers("MESH:D003078"), ABSTRACT)) == (
        "Colchicine",
        "treats",
        "gout",
    )


def test_a_wrong_identifier_moves_a_name_to_no_other_mention() -> None:
    both = article(("Colchicine and allopurinol treat gout.", "abstract"))
    found = ground_relation(by_identifiers("CHEBI:40279", name="colchicine"), both)
    assert isinstance(found, GroundedTriple)
    assert (found.head.text, found.head.concept_id) == ("Colchicine", "CHEBI:23359")
    assert not found.new_mentions


def test_a_name_of_another_kind_of_thing_is_not_the_end() -> None:
    found = ground_relation(
        by_identifiers(name="gout", category=GENE), article(("Gout cures gout.", "abstract"))
    )
    assert isinstance(found, Rejected)


OPEN = article(
    ("CD is treated by colchicine.", "abstract"),
    choices={"A:0-2": [Choice("C1", DISEASE), Choice("C2", GENE)]},
)


@pytest.mark.parametrize(
    ("identifiers", "concept"),
    [(("MESH:D1",), "C1"), (("C2", "C1"), None), (("MESH:D9",), None), ((), None)],
    ids=["one of them", "both", "none of them", "not said"],
)
def test_an_identifier_chooses_between_the_concepts_that_an_open_mention_may_be(
    identifiers: tuple[str, ...], concept: str | None
) -> None:
    brought = replace(relation("colchicine", "treat", "CD"), tail=BroughtEntity(("CD",), identifiers))
    found = ground_relation(brought, OPEN)
    assert isinstance(found, GroundedTriple)
    assert found.tail.concept_id == concept

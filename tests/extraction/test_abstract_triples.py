"""What the model reads over a whole abstract: in the sentence that says it, or in two that follow one another."""

from __future__ import annotations

import pytest

from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.relation_model import abstract_triples as module
from kg_pipeline.extraction.relation_model.abstract_triples import Abstract, AbstractTriples, abstract_triples
from kg_pipeline.extraction.relation_model.features import SentenceView
from kg_pipeline.extraction.relation_model.neighbours import neighbour_pairs
from kg_pipeline.extraction.relation_model.passage import EntityPair
from kg_pipeline.extraction.relation_model.sentence_triples import model_triples
from kg_pipeline.extraction.rules.triples import OfflineTriple, read
from kg_pipeline.extraction.syntax.sentence_parser import Sentence, SentenceParser, load_parser
from tests.extraction.marked import MODEL, sentence_of

REPORT = (
    "A case of [hepatitis|d] after [ketoconazole|c].",
    "A woman of 40 years took [ketoconazole|c] for two weeks.",
    "She then developed [jaundice|d] and [hepatitis|d].",
    "The [hepatitis|d] subsided when [ketoconazole|c] was stopped.",
)
TREATED = (
    "Adverse effects of [bupropion|c].",
    "We report on a patient with [depression|d] who was treated with [bupropion|c].",
    "After two weeks he developed [tremor|d].",
    "[Bupropion|c] was stopped.",
    "[Bupropion|c] can cause adverse effects in these patients.",
)


@pytest.fixture(scope="module")
def parser() -> SentenceParser:
    return load_parser(MODEL)


def abstract_of(parser: SentenceParser, *marked: str, between: str = " ") -> Abstract:
    """An abstract of marked sentences whose mentions are linked by their names."""
    text, sentences = "", []
    for each in marked:
        text += between if text else ""
        plain, start = sentence_of(each), len(text)
        text += plain.text
        sentences.append(
            Sentence(start, plain.text, tuple(_linked(m, start - plain.start) for m in plain.mentions))
        )
    named = [each for each in sentences if each.mentions]
    return Abstract(
        text, sentences, {parse.sentence.start: (parse, read(parse)) for parse in parser.parse(named)}
    )


def _linked(mention: MentionSpan, shift: int) -> MentionSpan:
    start, end = mention.start + shift, mention.end + shift
    concept = f"C:{mention.text.lower()}"
    return MentionSpan(f"A:{start}-{end}", start, end, mention.text, mention.text, mention.category, concept)


def triples_of(abstract: Abstract) -> AbstractTriples:
    rules = [triple for _, found in abstract.read.values() for triple in found]
    return abstract_triples(abstract, [*rules, *model_triples(list(abstract.read.values()))])


def pairs(triples: list[OfflineTriple]) -> set[frozenset[str]]:
    return {frozenset((triple.head.text.lower(), triple.tail.text.lower())) for triple in triples}


def test_what_no_single_sentence_makes_sure_the_abstract_does(parser: SentenceParser) -> None:
    abstract = abstract_of(parser, *REPORT)
    assert model_triples(list(abstract.read.values())) == []
    (triple,) = triples_of(abstract).within
    assert pairs([triple]) == {frozenset(("hepatitis", "ketoconazole"))}
    assert abstract.text[triple.start : triple.end] == triple.quote
    assert triple.quote in {sentence.text for sentence in abstract.sentences}
    assert all(word in triple.quote for word in triple.predicate_text.split())


def test_a_pair_that_is_known_is_not_read_again(parser: SentenceParser) -> None:
    abstract = abstract_of(parser, *REPORT, "[Ketoconazole|c] causes [hepatitis|d].")
    assert triples_of(abstract).within == []


def test_one_denial_anywhere_in_the_abstract_is_enough(parser: SentenceParser) -> None:
    denied = "[Hepatitis|d] was not associated with [ketoconazole|c]."
    found = triples_of(abstract_of(parser, *REPORT, denied))
    assert frozenset(("hepatitis", "ketoconazole")) not in pairs([*found.within, *found.across])


def test_two_neighbouring_sentences_are_quoted_together(
    parser: SentenceParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LEAST_OF_NEIGHBOURS", 0.4)
    abstract = abstract_of(parser, *TREATED)
    (triple,) = triples_of(abstract).across
    assert (triple.head.text, triple.predicate, triple.tail.text) == (
        "bupropion",
        "associated_with",
        "tremor",
    )
    second, third = abstract.sentences[1:3]
    assert triple.quote == f"{second.text} {third.text}" == abstract.text[triple.start : triple.end]
    assert triple.predicate_text
    assert all(word in triple.quote for word in triple.predicate_text.split())


def test_neighbours_of_two_paragraphs_are_none(
    parser: SentenceParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LEAST_OF_NEIGHBOURS", 0.4)
    assert triples_of(abstract_of(parser, *TREATED, between="\n\n")).across == []


def test_a_denial_in_either_of_two_neighbours_gives_nothing(
    parser: SentenceParser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_LEAST_OF_NEIGHBOURS", 0.0)
    denying = (*TREATED[:2], "After two weeks he had no [tremor|d].", *TREATED[3:])
    assert triples_of(abstract_of(parser, *denying)).across == []


def test_at_its_own_threshold_the_model_makes_no_edges_of_neighbours_that_only_follow_each_other(
    parser: SentenceParser,
) -> None:
    listed = (
        "Genes of the skin.",
        "We sequenced [SOX9|g] in all samples.",
        "Samples were stored with [glycerol|c].",
        "Some patients had [melanoma|d].",
    )
    assert triples_of(abstract_of(parser, *listed)) == AbstractTriples([], [])


def test_neighbours_leave_out_the_title_and_pairs_that_share_a_sentence(parser: SentenceParser) -> None:
    abstract = abstract_of(
        parser, "[SOX9|g] in short.", "[Melanoma|d] is common.", "[Leptin|g] was measured."
    )
    views = {n: SentenceView(*abstract.read[each.start]) for n, each in enumerate(abstract.sentences)}
    names = ["C:leptin", "C:melanoma", "C:sox9"]
    offered = [
        EntityPair(a, b, ("", ""), (), ("a place", "word"))
        for a, b in ((names[0], names[1]), (names[1], names[2]))
    ]

    def entities(mention: MentionSpan) -> tuple[str]:
        return (str(mention.concept_id),)

    (pair,) = neighbour_pairs(views, offered, entities)
    assert (pair.first, pair.second, pair.sentence) == ("C:melanoma", "C:leptin", 1)
    assert "a place" in pair.features
    assert "word" not in pair.features
    together = [EntityPair(names[0], names[1], ("", ""), (1,), ())]
    assert list(neighbour_pairs(views, together, entities)) == []

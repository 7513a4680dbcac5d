"""The trained relation model: its features, its weights, and what it may and may not make an edge of."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from kg_pipeline.errors import ModelError
from kg_pipeline.extraction.grounding.triples import MentionSpan
from kg_pipeline.extraction.relation_model.features import GROUPED, SentenceView
from kg_pipeline.extraction.relation_model.kinds import Meant, of_biored, of_chemprot
from kg_pipeline.extraction.relation_model.sentence_triples import ModelPair, is_comparison, model_triples
from kg_pipeline.extraction.relation_model.weights import (
    Classifier,
    feature_hash,
    load_classifiers,
    save_classifiers,
)
from kg_pipeline.extraction.rules.triples import OfflineTriple, read
from kg_pipeline.extraction.syntax.sentence_parser import Parse, Sentence, SentenceParser, load_parser
from kg_pipeline.vocabulary.predicates import PREDICATES
from tests.extraction.marked import MODEL, sentence_of


@pytest.fixture(scope="module")
def parser() -> SentenceParser:
    return load_parser(MODEL)


def linked(marked: str) -> Sentence:
    """A marked sentence whose mentions are linked to concepts."""
    sentence = sentence_of(marked)
    mentions = tuple(
        MentionSpan(m.mention_id, m.start, m.end, m.text, m.normal_form, m.category, f"C:{m.text}")
        for m in sentence.mentions
    )
    return Sentence(sentence.start, sentence.text, mentions)


def triples_of(parser: SentenceParser, *marked: str) -> list[OfflineTriple]:
    return model_triples([(parse, read(parse)) for parse in parser.parse([linked(each) for each in marked])])


#: What each says, and the pair that it says it of.
STATED = {
    "The expression of [SOX9|g] was increased in tissues from patients with [melanoma|d].": (
        "SOX9",
        "melanoma",
    ),
    "[SOX9|g] forms a complex with [CXCL5|g] in vitro.": ("SOX9", "CXCL5"),
    "[GLP1R|g] interacts directly with the domain of [ARRB1|g].": ("GLP1R", "ARRB1"),
    "A patient developed [nephropathy|d] after treatment with [cisplatin|c].": ("nephropathy", "cisplatin"),
}


@pytest.mark.parametrize(
    ("marked", "compared"),
    [
        ("[Gefitinib|c] lowered the level of [EGFR|g] compared to [erlotinib|c].", {"erlotinib"}),
        ("[Gefitinib|c] raised survival more than [erlotinib|c] did with [EGFR|g].", set()),
        ("[Gefitinib|c] lowered [EGFR|g] levels compared to [erlotinib|c] nanoparticles.", {"erlotinib"}),
        ("[Diarrhea|d] was more frequent with [gefitinib|c] than with [erlotinib|c].", set()),
    ],
)
def test_what_something_is_compared_with_is_not_related_to_it(
    parser: SentenceParser, marked: str, compared: set[str]
) -> None:
    sentence = linked(marked)
    view = SentenceView(next(iter(parser.parse([sentence]))), [])
    pairs = [ModelPair(view, view.pair(0, j), 0.5) for j in range(1, len(sentence.mentions))]
    assert {each.ends[1].text for each in pairs if is_comparison(each)} == compared


def test_the_model_reads_relations_that_no_rule_reads(parser: SentenceParser) -> None:
    for marked, pair in STATED.items():
        (triple,) = triples_of(parser, marked)
        assert {triple.head.text, triple.tail.text} == {*pair}
        assert triple.predicate in PREDICATES
        assert all(word in triple.quote for word in triple.predicate_text.split())
        assert triple.quote == linked(marked).text
        assert 0.75 <= triple.confidence < 1


@pytest.mark.parametrize(
    "marked",
    [
        "[SOX9|g] expression was not associated with the stage of [melanoma|d].",
        "There was no association between [SOX9|g] levels and [melanoma|d].",
        "Neither [SOX9|g] nor its ligand was linked with [melanoma|d].",
        "[SOX9|g] failed to correlate with outcome in [melanoma|d].",
        "These findings agree with the lack of an effect of [leucine|c] on [hyperinsulinemia|d].",
        "[Metformin|c] treatment did not alter the risk of [melanoma|d].",
        "We found no evidence that [SOX9|g] variants are associated with [melanoma|d].",
        "[SOX9|g] was unable to induce [CXCL5|g] expression.",
        "[Metformin|c] did not reduce [PSA|g] in these men.",
        "[Zinc|c] was not found to bind [TP53|g].",
        "We describe the [oxygen|c]-independent activation of [HIF1A|g].",
        "The activation of [HIF1A|g] was independent of [oxygen|c].",
    ],
)
def test_a_denied_relation_gives_no_edge(parser: SentenceParser, marked: str) -> None:
    assert triples_of(parser, marked) == []


@pytest.mark.parametrize(
    "marked",
    [
        "We measured [SOX9|g], [CXCL5|g] and [leptin|g] in patients with [melanoma|d].",
        "[SOX9|g] and [melanoma|d] are the subject of this review.",
        "Cells were grown in [glucose|c], stained for [SOX9|g] and counted.",
        "[melanoma|d] ([SOX9|g]; [CXCL5|g])",
        "Evolvability is reviewed in [melanoma|d] cells and in vertebrates with [SOX9|g].",
    ],
)
def test_co_occurrence_is_no_edge(parser: SentenceParser, marked: str) -> None:
    assert triples_of(parser, marked) == []


DENIALS = (
    "{} was not significantly associated with {} in this cohort.",
    "No significant association was found between {} and {}.",
    "We did not observe any association of {} with {}.",
    "{} levels did not differ between patients with {} and controls.",
    "{} is unlikely to cause {}.",
    "{} does not play a role in {}.",
    "{} had no effect on {}.",
    "Neither {} nor placebo improved {}.",
    "Our data do not support a role of {} in {}.",
    "The study excludes a causal role of {} in {}.",
    "{} showed no benefit in {}.",
    "The association of {} with {} could not be replicated.",
    "The association between {} and {} was not significant.",
    "{} was unrelated to {}.",
    "{} expression is absent in {}.",
    "It is doubtful that {} contributes to {}.",
    "{} polymorphisms were not found to increase the risk of {}.",
    "The hypothesis that {} causes {} was rejected.",
)


@pytest.mark.parametrize(
    "ends", [("[metformin|c]", "[melanoma|d]"), ("[SOX9|g]", "[melanoma|d]"), ("[metformin|c]", "[SOX9|g]")]
)
def test_neither_rules_nor_model_make_a_positive_edge_of_a_denial(
    parser: SentenceParser, ends: tuple[str, str]
) -> None:
    for parse in parser.parse([linked(each.format(*ends)) for each in DENIALS]):
        rules = read(parse)
        positive = [triple for triple in [*rules, *model_triples([(parse, rules)])] if not triple.negated]
        assert positive == [], parse.sentence.text


def test_the_model_says_nothing_of_pairs_that_a_rule_has_read(parser: SentenceParser) -> None:
    for parse in parser.parse([linked("[Cisplatin|c] inhibits [SOX9|g] and causes [nephropathy|d].")]):
        rules = read(parse)
        assert rules
        known = {frozenset((each.head.mention_id, each.tail.mention_id)) for each in rules}
        for triple in model_triples([(parse, rules)]):
            assert frozenset((triple.head.mention_id, triple.tail.mention_id)) not in known


def test_ends_must_be_linked_and_particular(parser: SentenceParser) -> None:
    unlinked = [sentence_of(each) for each in STATED]
    assert model_triples([(parse, read(parse)) for parse in parser.parse(unlinked)]) == []
    assert triples_of(parser, "[mRNA|c] levels were associated with the stage of [melanoma|d].") == []


@pytest.mark.parametrize(
    ("marked", "predicate"),
    [
        ("We combine [pyrimidine|c] with [EGFR|g] inhibitors.", "associated_with"),
        ("[Pazopanib|c] functionalized with [EGFR|g] inhibitors increased survival.", "associated_with"),
        ("[Talimogene|c] reduced the tumour volume in patients with [melanoma|d].", "associated_with"),
        ("[Pazopanib|c] in treatment of patients with [melanoma|d] was studied.", "treats"),
    ],
)
def test_more_than_an_association_needs_a_word_that_says_it(
    parser: SentenceParser, marked: str, predicate: str
) -> None:
    (triple,) = triples_of(parser, marked)
    assert triple.predicate == predicate


def test_a_name_and_its_abbreviation_are_said_once(parser: SentenceParser) -> None:
    marked = "[SOX9|g] forms a complex with [chemokine five|g] ([CXCL5|g]) in vitro."
    sentence = linked(marked)
    mentions = tuple(
        MentionSpan(m.mention_id, m.start, m.end, m.text, m.normal_form, m.category, f"C:{m.text[0] == 'S'}")
        for m in sentence.mentions
    )
    (parse,) = parser.parse([Sentence(sentence.start, sentence.text, mentions)])
    assert len(model_triples([(parse, ())])) == 1


def test_what_a_rule_read_of_a_name_the_model_does_not_read_of_its_abbreviation(
    parser: SentenceParser,
) -> None:
    sentence = linked("[Lactate|c] also stimulates the secretion of [matrix enzymes|g] ([MMPs|g]).")
    mentions = tuple(
        MentionSpan(m.mention_id, m.start, m.end, m.text, m.normal_form, m.category, f"C:{m.text[0] == 'L'}")
        for m in sentence.mentions
    )
    (parse,) = parser.parse([Sentence(sentence.start, sentence.text, mentions)])
    rules = read(parse)
    assert rules
    assert model_triples([(parse, rules)]) == []


def test_names_are_no_features(parser: SentenceParser) -> None:
    def features(marked: str) -> tuple[str, ...]:
        (parse,) = parser.parse([sentence_of(marked)])
        return SentenceView(parse, ()).pair(0, 1).features

    assert features("[SOX9|g] is associated with [melanoma|d].") == features(
        "[CXCL5|g] is associated with [glioma|d]."
    )


def test_only_features_with_the_mark_tell_the_groups(parser: SentenceParser) -> None:
    parses: list[Parse] = list(
        parser.parse([sentence_of(f"[SOX9|{group}] is bound by [lead|c].") for group in ("g", "d")])
    )
    first, second = (
        [each for each in SentenceView(parse, ()).pair(0, 1).features if GROUPED not in each]
        for parse in parses
    )
    assert first == second


def test_kinds_become_predicates_with_a_direction_only_where_the_groups_leave_one() -> None:
    assert of_biored("Negative_Correlation", "disorder", "chemical") == Meant("treats", inverted=True)
    assert of_biored("Positive_Correlation", "gene", "gene") == Meant("correlated_with")
    assert of_biored("Comparison", "chemical", "chemical") is None
    assert of_chemprot("ANTAGONIST", "gene") == Meant("inhibits", inverted=True)
    assert of_chemprot("PRODUCT-OF", "chemical") == Meant("produces", inverted=True)
    assert of_chemprot("INDIRECT-UPREGULATOR", "chemical") is None


def test_weights_are_written_and_read_again(tmp_path: Path) -> None:
    names = ("b inhibit", "p bind", "d 1")
    hashes = np.sort(np.array([feature_hash(each) for each in names], np.uint32))
    weights = np.arange(6, dtype=np.float32).reshape(3, 2)
    made = Classifier(("no", "yes"), hashes, weights, np.array([0.5, -0.5], np.float32))
    for name in ("a.npz", "b.npz"):
        save_classifiers(tmp_path / name, {"x": made})
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    got = load_classifiers(tmp_path / "a.npz")["x"]
    rows = [list(names[:2]), ["unknown"], []]
    assert np.array_equal(got.scores(rows), made.scores(rows))
    assert np.array_equal(got.scores(rows)[1], [0.5, -0.5])
    assert np.allclose(got.probabilities(rows).sum(axis=1), 1)


@pytest.mark.parametrize("content", [b"", b"no archive"])
def test_damaged_weights_say_what_to_do(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "w.npz"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="Reinstall kg-pipeline"):
        load_classifiers(path)


def test_shipped_weights_are_small_and_complete() -> None:
    from kg_pipeline.extraction.relation_model.weights import WEIGHTS_FILE

    assert WEIGHTS_FILE.stat().st_size < 20_000_000
    assert set(load_classifiers()) == {
        "chemprot",
        "kind",
        "neighbours",
        "passage",
        "passage_kind",
        "sentence",
    }

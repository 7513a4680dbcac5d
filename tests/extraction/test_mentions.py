"""Mentions of an article: definitions decide short forms, the vocabulary decides names, patterns add the rest."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.mentions.reading import Mention, find_mentions
from kg_pipeline.settings import load_settings
from kg_pipeline.text.abbreviations import Definition, find_definitions
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import Vocabulary, open_vocabulary


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    settings = load_settings({"KG_HOME": str(tmp_path_factory.getbasetemp() / "shared-vocabulary")})
    return open_vocabulary(build_vocabulary(settings))


def mentions(
    vocabulary: Vocabulary, *sentences: str, glossary: dict[str, str] | None = None
) -> list[Mention]:
    text = " ".join(sentences)
    spans, position = [], 0
    for sentence in sentences:
        spans.append((position, position + len(sentence)))
        position += len(sentence) + 1
    return find_mentions(text, spans, find_definitions(text), glossary or {}, vocabulary)


def by_text(found: list[Mention], text: str) -> list[Mention]:
    return [mention for mention in found if mention.text == text]


def define(text: str, short: str, long: str) -> Definition:
    start, begin = text.index(f"({short})") + 1, text.index(long)
    return Definition(short, long, start, start + len(short), begin, begin + len(long))


def test_a_short_form_takes_the_concept_of_its_long_form(vocabulary: Vocabulary) -> None:
    found = mentions(vocabulary, "Systemic lupus erythematosus (SLE) is rare.", "SLE needs care.")
    assert [m.concept_id for m in found] == ["C0024141"] * 3
    assert [m.normal_form for m in by_text(found, "SLE")] == ["Systemic lupus erythematosus"] * 2
    assert {m.source for m in by_text(found, "SLE")} == {"abbreviation"}


def test_two_definitions_are_resolved_by_occurrence(vocabulary: Vocabulary) -> None:
    text = "Multiple sclerosis (MS) was seen. MS worsened. By mass spectrometry (MS) we saw it. MS showed it."
    definitions = [
        define(text, "MS", "Multiple sclerosis"),
        Definition("MS", "mass spectrometry", 72, 74, 53, 70),
    ]
    definitions[1] = Definition(
        "MS",
        "mass spectrometry",
        text.rindex("(MS)") + 1,
        text.rindex("(MS)") + 3,
        text.index("mass"),
        text.index("mass") + 17,
    )
    found = find_mentions(text, [(0, len(text))], definitions, {}, vocabulary)
    assert [m.normal_form for m in by_text(found, "MS")] == ["Multiple sclerosis"] * 2 + [
        "mass spectrometry"
    ] * 2
    assert len({m.category for m in by_text(found, "MS")}) == 2


def test_a_definition_that_is_no_entity_silences_the_vocabulary(vocabulary: Vocabulary) -> None:
    text = "The overall survival time (MYC) was long. MYC was 3 months."
    found = find_mentions(
        text, [(0, len(text))], [define(text, "MYC", "overall survival time")], {}, vocabulary
    )
    assert by_text(found, "MYC") == []


@pytest.mark.parametrize(
    ("long", "short", "concept_id"),
    [
        ("Cluster of differentiation 47", "CD47", "HGNC:1682"),
        ("differentiation cluster no. 33", "CD33", "HGNC:1659"),
        ("cervical vertebral level 1", "C1", None),
        ("control day", "CD47", None),
    ],
)
def test_a_long_form_that_spells_the_symbol_of_a_gene_leaves_it_to_the_vocabulary(
    vocabulary: Vocabulary, long: str, short: str, concept_id: str | None
) -> None:
    text = f"{long} ({short}) is seen. {short} was measured."
    defined = [define(text, short, long)]
    found = find_mentions(
        text, [(0, text.index(". ") + 1), (text.index(". ") + 2, len(text))], defined, {}, vocabulary
    )
    concepts = [mention.concept_id for mention in by_text(found, short)]
    assert concepts == ([] if concept_id is None else [concept_id] * 2)


def test_a_definition_is_not_carried_to_another_article(vocabulary: Vocabulary) -> None:
    first = mentions(vocabulary, "Thymidylate synthase (TS) predicts response.", "TS was high.")
    second = mentions(vocabulary, "TS was high.")
    assert [m.normal_form for m in by_text(first, "TS")] == ["Thymidylate synthase"] * 2
    assert all(m.concept_id is None for m in second)


def test_the_glossary_defines_where_the_text_does_not(vocabulary: Vocabulary) -> None:
    found = mentions(vocabulary, "LN was found.", glossary={"LN": "lupus nephritis"})
    assert [(m.text, m.concept_id, m.source) for m in found] == [("LN", "C0024143", "glossary")]


def test_a_sentence_given_twice_counts_once(vocabulary: Vocabulary) -> None:
    text = "IL-10 rose in lupus nephritis."
    once = find_mentions(text, [(0, len(text))], [], {}, vocabulary)
    assert find_mentions(text, [(0, len(text))] * 3, [], {}, vocabulary) == once
    assert len({(m.start, m.end) for m in once}) == len(once) == 2


@pytest.mark.parametrize(
    ("sentence", "text", "category"),
    [
        ("The V600E mutation", "V600E", "biolink:SequenceVariant"),
        ("with p.(Val600Glu) and", "p.(Val600Glu)", "biolink:SequenceVariant"),
        ("a change (here p.V600E) was", "p.V600E", "biolink:SequenceVariant"),
        ("SNP rs4810424 was", "rs4810424", "biolink:SequenceVariant"),
        ("the c.677C>T change", "c.677C>T", "biolink:SequenceVariant"),
        ("up miR-9999-5p again", "miR-9999-5p", "biolink:MicroRNA"),
        ("in NCI-H82 cells", "NCI-H82", "biolink:CellLine"),
        ("the Rpc82 protein", "Rpc82", "biolink:Gene"),
    ],
)
def test_patterns_are_recognised(vocabulary: Vocabulary, sentence: str, text: str, category: str) -> None:
    (found,) = by_text(mentions(vocabulary, sentence), text)
    assert found.category == category
    # A number of dbSNP is an identifier; the other names leave open which gene or line they are of.
    assert found.concept_id == (f"DBSNP:{text}" if text.startswith("rs") else None)


@pytest.mark.parametrize(
    "sentence",
    ["Fig2 cells", "T98G was used", "in 600 of 700", "see H2O", "Day12 protein", "10-3 > 2", "A4 paper"],
)
def test_patterns_are_precise(vocabulary: Vocabulary, sentence: str) -> None:
    assert [m for m in mentions(vocabulary, sentence) if m.source == "model"] == []


def test_yeast_genes_do_not_get_human_concepts(vocabulary: Vocabulary) -> None:
    found = mentions(vocabulary, "In Saccharomyces cerevisiae, Rpc82 binds Rpc34 and Stat1 is absent.")
    assert all(m.concept_id is None or not m.concept_id.startswith("HGNC") for m in found)


def test_results_are_the_same_in_every_run_and_can_be_pickled(vocabulary: Vocabulary) -> None:
    runs = [mentions(vocabulary, "Aspirin reduced fever.", "Interleukin 6 (IL-6) rose.") for _ in range(5)]
    assert all(run == runs[0] for run in runs)
    assert pickle.loads(pickle.dumps(runs[0])) == runs[0]


@given(
    st.lists(
        st.sampled_from(
            [
                "SLE",
                "systemic lupus erythematosus (SLE)",
                "TREX1",
                "UVB-induced",
                "OS",
                "overall survival (OS)",
                "p.V600E",
                "IL-10.",
            ]
        ),
        max_size=8,
    )
)
def test_mentions_quote_the_text_and_do_not_overlap(vocabulary: Vocabulary, parts: list[str]) -> None:
    text = " ".join(parts)
    found = mentions(vocabulary, text) if text else []
    end = 0
    for mention in found:
        assert text[mention.start : mention.end] == mention.text
        assert end <= mention.start
        end = mention.end


@pytest.mark.parametrize(
    ("sentence", "text", "category"),
    [
        ("Cluster of differentiation 47 is a signal.", "Cluster of differentiation 47", "biolink:Gene"),
        ("She had anti-VGCC antibodies.", "anti-VGCC antibodies", "biolink:Protein"),
        (
            "Voltage-gated calcium channels open.",
            "Voltage-gated calcium channels",
            "biolink:ProteinFamily",
        ),
        ("It caused immune-related adverse events.", "immune-related adverse events", "biolink:Disease"),
        ("Deposits in the glomeruli were seen.", "glomeruli", "biolink:AnatomicalEntity"),
        ("Levels of PBDE-47 rose.", "PBDE-47", "biolink:ChemicalEntity"),
        ("The compound SDFZ-8 was potent.", "SDFZ-8", "biolink:ChemicalEntity"),
        ("After SDFZ-8 treatment cells died.", "SDFZ-8", "biolink:ChemicalEntity"),
    ],
)
def test_names_that_no_vocabulary_lists_as_a_whole(
    vocabulary: Vocabulary, sentence: str, text: str, category: str
) -> None:
    (found,) = by_text(mentions(vocabulary, sentence), text)
    assert found.category == category


def test_a_code_is_a_compound_only_where_the_words_around_say_so(vocabulary: Vocabulary) -> None:
    assert not by_text(mentions(vocabulary, "Sample SDFZ-8 was stored."), "SDFZ-8")
    assert [m.category for m in by_text(mentions(vocabulary, "After IL-10 treatment."), "IL-10")] == [
        "biolink:Gene"
    ]


@pytest.mark.parametrize(
    ("sentence", "word", "is_entity"),
    [
        ("On the other hand, it failed.", "hand", False),
        ("The hand was swollen.", "hand", True),
        ("A joint analysis was made.", "joint", False),
        ("The joint pain was mild.", "joint", True),
        ("One joint was swollen.", "joint", True),
    ],
)
def test_a_body_part_is_an_entity_only_in_its_own_sense(
    vocabulary: Vocabulary, sentence: str, word: str, is_entity: bool
) -> None:
    assert any(word in m.text.split() for m in mentions(vocabulary, sentence)) is is_entity


def test_a_gene_symbol_is_no_disease_that_is_called_after_it(vocabulary: Vocabulary) -> None:
    found = mentions(vocabulary, "TFIIH and NS1 were studied, SEM and LAP too.")
    assert all(mention.category != "biolink:Disease" for mention in found)


@pytest.mark.parametrize("symbol", ["ALL", "MDS"])
def test_letters_that_only_diseases_are_called_by_need_their_definition(
    vocabulary: Vocabulary, symbol: str
) -> None:
    long = {"ALL": "acute lymphoblastic leukemia", "MDS": "myelodysplastic syndrome"}[symbol]
    assert not by_text(mentions(vocabulary, f"We compared {symbol} with controls."), symbol)
    defined = by_text(mentions(vocabulary, f"Most had {long} ({symbol}).", f"{symbol} relapsed."), symbol)
    assert [m.category for m in defined] == ["biolink:Disease"] * 2


@pytest.mark.parametrize("reagent", ["anti-human antibody", "anti-rabbit antibodies", "anti-FLAG antibody"])
def test_reagents_of_the_laboratory_are_no_entities(vocabulary: Vocabulary, reagent: str) -> None:
    found = mentions(vocabulary, f"Plates were coated with {reagent} overnight.")
    assert not [m for m in found if "anti" in m.text]
    assert by_text(mentions(vocabulary, "Sera held anti-SSA antibodies."), "anti-SSA antibodies")


def test_a_step_of_the_protocol_is_no_process(vocabulary: Vocabulary) -> None:
    assert not by_text(mentions(vocabulary, "Transduction of the cells took a day."), "Transduction")


def test_a_gas_is_no_gene(vocabulary: Vocabulary) -> None:
    categories = {
        m.category for m in by_text(mentions(vocabulary, "Cells were kept in 5% CO2 at 37 °C."), "CO2")
    }
    assert categories <= {"biolink:ChemicalEntity", "biolink:SmallMolecule", "biolink:Drug"}


def test_a_symbol_that_the_article_spells_out_is_kept_against_the_recogniser(vocabulary: Vocabulary) -> None:
    class Blind:
        """A recogniser that knows genes and sees none."""

        categories = ("biolink:Gene",)

        def recognise(self, *_: object) -> list[object]:
            return []

    text = "Cluster of differentiation 47 (CD47) is seen. CD47 was measured."
    spans = [(0, 45), (46, len(text))]
    found = find_mentions(text, spans, find_definitions(text), {}, vocabulary, Blind())  # type: ignore[arg-type]
    assert [mention.concept_id for mention in by_text(found, "CD47")] == ["HGNC:1682"] * 2

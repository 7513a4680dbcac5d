"""Symbols of viral proteins are no genes of the host, where the article introduces them with their virus."""

from __future__ import annotations

import pytest

from kg_pipeline.extraction.mentions.mention import Mention
from kg_pipeline.extraction.mentions.reading import find_mentions
from kg_pipeline.settings import load_settings
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import Vocabulary, open_vocabulary


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    settings = load_settings({"KG_HOME": str(tmp_path_factory.getbasetemp() / "shared-vocabulary")})
    return open_vocabulary(build_vocabulary(settings))


def found(vocabulary: Vocabulary, *sentences: str) -> list[Mention]:
    text, spans = " ".join(sentences), []
    for sentence in sentences:
        start = text.index(sentence)
        spans.append((start, start + len(sentence)))
    return find_mentions(text, spans, find_definitions(text), {}, vocabulary)


@pytest.mark.parametrize(
    "behind", ["vaccinia virus {}", "the vaccinia virus protein {}", "vaccinia virus's {}"]
)
def test_a_symbol_right_behind_a_virus_is_no_gene_of_the_host(vocabulary: Vocabulary, behind: str) -> None:
    sentence = f"We found that {behind.format('ISG15')} gene expression blocks signalling."
    assert [one.concept_id for one in found(vocabulary, sentence) if one.text == "ISG15"] == [None]


def test_what_is_introduced_with_its_virus_stays_one_of_the_virus(vocabulary: Vocabulary) -> None:
    mentions = found(
        vocabulary,
        "Vaccinia virus protein CD59 was expressed.",
        "Cells with CD59 bound STAT1.",
    )
    concepts = {(one.text, one.concept_id is None) for one in mentions}
    assert {("CD59", True), ("STAT1", False)} <= concepts
    assert ("CD59", False) not in concepts


@pytest.mark.parametrize(
    "sentence",
    [
        "CD59 is a gene of the host, and vaccinia virus CD59 came later, as CD59 did.",  # not first behind a virus
        "Vaccinia virus binds CD59 and CD59 binds it.",
        "In human cells CD59 was bound.",
        "Patients with asthma CD59 had.",
    ],
)
def test_other_genes_keep_their_concept(vocabulary: Vocabulary, sentence: str) -> None:
    linked = [one for one in found(vocabulary, sentence) if one.text == "CD59" and one.concept_id]
    assert linked

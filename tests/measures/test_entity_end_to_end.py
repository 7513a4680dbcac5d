"""Names found and linked: a name counts where its span and its concept are right."""

from __future__ import annotations

import pytest

from kg_pipeline.evaluation.entity_end_to_end import ANY_SPECIES, score_end_to_end
from kg_pipeline.evaluation.entity_linking import References
from kg_pipeline.evaluation.gold import GoldArticle, GoldMention
from kg_pipeline.extraction.mentions.mention import Mention
from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import Vocabulary, open_vocabulary

GENE, DISEASE = "biolink:Gene", "biolink:Disease"
TEXT = "STAT3 and asthma and fever and foxitis"


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    settings = load_settings({"KG_HOME": str(tmp_path_factory.getbasetemp() / "shared-vocabulary")})
    return open_vocabulary(build_vocabulary(settings))


def annotated(name: str, kind: str, category: str, *identifiers: str) -> GoldMention:
    start = TEXT.index(name)
    return GoldMention(start, start + len(name), name, kind, category, identifiers)


def mention(name: str, category: str, concept_id: str | None) -> Mention:
    start = TEXT.index(name)
    return Mention(start, start + len(name), name, name, category, concept_id, (), "model")


def test_span_and_concept_must_be_right_and_orthologs_are_counted_apart(vocabulary: Vocabulary) -> None:
    gold = GoldArticle(
        "1",
        TEXT,
        TEXT,
        (
            annotated("STAT3", "GeneOrGeneProduct", GENE, "20848"),  # of the mouse
            annotated("asthma", "Disease", DISEASE, "D001249"),
            annotated("fever", "Disease", DISEASE, "D005334"),
            annotated("foxitis", "Disease", DISEASE),
        ),
        (),
    )
    asthma = vocabulary.lookup("asthma")[0].concept_id
    found = [
        mention("STAT3", GENE, "HGNC:11364"),
        mention("asthma", DISEASE, asthma),
        mention("fever", DISEASE, asthma),  # another concept
        mention("foxitis", DISEASE, "X:1"),  # annotated without an identifier: left out
    ]
    scores = {one.kind: one for one in score_end_to_end([gold], [found], vocabulary, References())}
    assert (scores["micro"].right, scores["micro"].found, scores["micro"].annotated) == (1, 3, 3)
    assert (scores["disorder"].right, scores["disorder"].found) == (1, 2)
    assert (scores["gene"].right, scores[ANY_SPECIES].right) == (0, 1)


def test_an_open_mention_is_not_found(vocabulary: Vocabulary) -> None:
    gold = GoldArticle("1", TEXT, TEXT, (annotated("asthma", "Disease", DISEASE, "D001249"),), ())
    scores = score_end_to_end([gold], [[mention("asthma", DISEASE, None)]], vocabulary, References())
    assert (scores[0].found, scores[0].annotated, scores[0].f1) == (0, 1, 0.0)

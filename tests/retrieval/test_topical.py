from __future__ import annotations

import pytest

from kg_pipeline.llm.embeddings import load_embedder
from kg_pipeline.settings import load_settings
from retrieval.evidence import Passage, Quote
from retrieval.graph import Graph
from retrieval.methods.asking import understand
from retrieval.methods.context import CachedEmbedder, Context
from retrieval.passages.reporting import states_aim, worth
from retrieval.passages.topical import TopicSettings, windows
from retrieval.questions.mention import Reading
from retrieval.reasoning.extractive import ExtractiveReasoner
from tests.retrieval.memory_graph import Builder, split

EXTUBATION = "Should early extubation be the goal for infants after repair of a heart defect?"


@pytest.fixture(scope="module")
def clinic() -> Graph:
    """Three short articles, read with the model that is installed: nearness of words that differ is what is tested."""
    embedder = CachedEmbedder(load_embedder(load_settings({})))
    b = Builder(embedder=embedder)
    b.entity("E1", "extubation", "Procedure")
    b.entity("E2", "heparin", "Drug")
    b.entity("E3", "ketamine", "Drug")
    b.entity("E4", "migraine", "Disease")
    b.article(
        "PMC1",
        "Extubation",
        [
            "We wanted to evaluate whether early extubation is safe for infants after repair of a heart defect.",
            "Infants who had a heart defect repaired were extubated in the operating room or within 24 hours.",
        ],
        [
            "Early extubation of infants was associated with a shorter stay and a lower mortality.",
            "Few of the infants needed a second intubation after the repair.",
        ],
    )
    b.article(
        "PMC2", "Heparin", ["Heparin was given to dogs before a catheter was placed in the femoral vein."]
    )
    b.article("PMC3", "Migraine", ["Ketamine relieved the pain of migraine in nine of twenty adults."])
    graph = b.build()
    return Graph(Context(graph, embedder, split, ExtractiveReasoner(graph, embedder, split)))


@pytest.mark.parametrize("method", ["auto", "egot", "ppr", "inses"])
def test_passages_about_the_question_answer_it_with_a_finding(clinic: Graph, method: str) -> None:
    answer = clinic.ask(EXTUBATION, method)
    assert answer.answered, answer.trace.reason
    assert "lower mortality" in answer.text
    assert "evaluate" not in answer.text
    assert {citation.article_id for citation in answer.citations} == {"PMC1"}


@pytest.mark.parametrize(
    "question",
    [
        "Should heparin be the goal for infants after repair of a heart defect?",
        "Should radioactive iodine be the goal for infants after repair of a heart defect?",
        "Should early extubation be the goal for horses after removal of a brain tumour?",
        "Does ketamine relieve the pain of shingles in nine of twenty adults?",
        "Do solar panels lower the price of housing in coastal towns?",
    ],
)
def test_a_question_that_differs_by_what_it_is_about_is_not_answered(clinic: Graph, question: str) -> None:
    assert not clinic.ask(question).answered


def test_windows_hold_neighbouring_passages_only(clinic: Graph) -> None:
    question = understand(EXTUBATION, clinic.context)
    chunks = clinic.reader.chunks([hit.id for hit in clinic.reader.nearest("chunk", question.vector, 10)])
    own = [Passage(chunk, 0.8) for chunk in chunks if chunk.article_id == "PMC1"]
    assert len(own) > 1
    [window] = windows(question, own, TopicSettings())
    assert len(window.passages) == len(own)
    [narrow] = windows(question, own, TopicSettings(reach=-1))
    assert len(narrow.passages) == 1


def test_settings_refuse_what_can_find_nothing() -> None:
    with pytest.raises(ValueError, match="things must be at least 2"):
        TopicSettings(things=1)


@pytest.mark.parametrize(
    ("word", "text", "found"),
    [
        ("tumor", "The tumour was removed.", True),
        ("somatis", "Patterns of somatization differed.", True),
        ("hypertens", "Patients had hypotension.", False),
        ("glucos", "Glucosamine was given.", False),
    ],
)
def test_words_are_recognised_in_other_spellings_and_forms(word: str, text: str, found: bool) -> None:
    assert Reading([text]).has_word(word) is found


def test_names_are_recognised_by_their_initials() -> None:
    reading = Reading(["Health maintenance organization members were seen."])
    assert reading.has_name("HMO")
    assert not reading.has_name("HBO")


def quote(text: str, section: str = "") -> Quote:
    return Quote("PMC1", "PMC1:0", section, 0, len(text), text)


def test_a_finding_is_worth_more_than_an_aim_or_a_method() -> None:
    finding = quote("Mortality was significantly lower after early extubation.", "Results")
    aim = quote("To determine whether early extubation lowers mortality.", "Background")
    method = quote("Infants were recruited in four hospitals.", "Methods")
    assert worth(finding) > 0 > worth(method) > worth(aim)


@pytest.mark.parametrize(
    ("text", "section", "aim"),
    [
        ("We sought to determine whether statins help.", "Introduction", True),
        ("Effects of statins on stroke.", "Title", True),
        ("Statins do not prevent stroke, but they lower cholesterol and improved survival.", "Title", False),
        ("To test this we gave statins, which reduced strokes.", "Results", False),
        ("We therefore examined whether strokes differed significantly.", "Introduction", True),
        ("It is not yet known if statins reduced strokes.", "Introduction", True),
        ("Statins reduced strokes.", "Results", False),
        ("How statins reduce strokes has been reviewed elsewhere.", "Discussion", True),
    ],
)
def test_aims_and_bare_titles_state_nothing(text: str, section: str, aim: bool) -> None:
    assert states_aim(quote(text, section)) is aim


def test_an_article_that_stands_out_may_be_a_little_further_away(clinic: Graph) -> None:
    question = understand(EXTUBATION, clinic.context)
    chunks = clinic.reader.chunks([hit.id for hit in clinic.reader.nearest("chunk", question.vector, 10)])
    settings = TopicSettings(nearness=1.2, nearness_outstanding=0.9)

    def found(other: float) -> int:
        scored = [Passage(c, 0.6 if c.article_id == "PMC1" else other) for c in chunks]
        return len(windows(question, scored, settings))

    assert found(0.4) == 1
    assert found(0.5) == 0

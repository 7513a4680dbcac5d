from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from retrieval.evaluation.questions import make_passage
from retrieval.evaluation.readers import (
    BenchmarkFileError,
    read_2wiki,
    read_corpus,
    read_hotpot,
    read_multihop_rag,
    read_musique,
    with_corpus,
)


def write(path: Path, data: Any) -> Path:
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def musique(question_id: str = "2hop__1_2", *, answerable: bool = True) -> dict[str, Any]:
    return {
        "id": question_id,
        "question": "Who founded the town where Ada was born?",
        "paragraphs": [
            {"idx": 0, "title": "Ada", "paragraph_text": "Ada was born in Elm.", "is_supporting": True},
            {"idx": 1, "title": "Elm", "paragraph_text": "Elm was founded by Bo.", "is_supporting": True},
            {"idx": 2, "title": "Elm", "paragraph_text": "Elm is also a tree.", "is_supporting": False},
        ],
        "answer": "Bo",
        "answer_aliases": ["Bo of Elm", "Bo"],
        "answerable": answerable,
    }


def test_musique(tmp_path: Path) -> None:
    found = read_musique(write(tmp_path / "q.json", [musique(), musique("3hop1__3")]))
    assert [passage.title for passage in found.passages] == ["Ada", "Elm", "Elm"]
    question = found.questions[0]
    assert question.answers == ("Bo", "Bo of Elm")
    assert question.gold == {passage.passage_id for passage in found.passages[:2]}
    assert [q.kind for q in found.questions] == ["2hop", "3hop1"]


def test_musique_lines_without_the_unanswerable(tmp_path: Path) -> None:
    path = tmp_path / "q.jsonl"
    rows = [musique(), musique("2hop__9", answerable=False)]
    path.write_text("\n".join(json.dumps(row) for row in rows) + "\n", encoding="utf-8")
    assert [question.question_id for question in read_musique(path).questions] == ["2hop__1_2"]


HOTPOT = {
    "_id": "5a",
    "question": "Is Elm older than Ash?",
    "answer": "yes",
    "type": "comparison",
    "level": "easy",
    "context": [
        ["Elm", ["Elm dates from 900.", " It is small."]],
        ["Ash", ["Ash dates from 1100."]],
        ["Oak", ["Oak is a tree."]],
    ],
    "supporting_facts": [["Elm", 0], ["Elm", 1], ["Ash", 0]],
}


@pytest.mark.parametrize("read", [read_hotpot, read_2wiki])
def test_hotpot_and_2wiki(tmp_path: Path, read: Any) -> None:
    extra = {"evidences": [["Elm", "inception", "900"]], "evidences_id": [], "entity_ids": "Q1_Q2"}
    found = read(write(tmp_path / "q.json", [HOTPOT | extra]))
    assert found.passages[0].text == "Elm dates from 900. It is small."
    assert found.questions[0].gold == {passage.passage_id for passage in found.passages[:2]}
    assert (found.questions[0].kind, found.questions[0].answers) == ("comparison", ("yes",))


@pytest.mark.parametrize("key", ["evidence_list", "gold_list"])
def test_multihop_rag(tmp_path: Path, key: str) -> None:
    fact = {"title": "Trial opens", "source": "Daily", "url": "u", "fact": "The trial of Bo began."}
    rows = [
        {"query": "Who is on trial?", "answer": "Bo", "question_type": "inference_query", key: [fact]},
        {"query": "Who won?", "answer": "Insufficient information.", "question_type": "null_query", key: []},
    ]
    found = read_multihop_rag(write(tmp_path / "q.json", rows))
    assert [question.kind for question in found.questions] == ["inference_query"]
    assert found.questions[0].gold == {make_passage("Trial opens", "The trial of Bo began.").passage_id}


def test_corpus_files(tmp_path: Path) -> None:
    listed = write(
        tmp_path / "list.json", [{"title": "Elm", "text": "A town."}, {"title": "N", "body": "News."}]
    )
    named = write(tmp_path / "named.json", {"Elm": ["A ", "town."], "Ash": "A tree."})
    packed = tmp_path / "named.json.xz"
    packed.write_bytes(lzma.compress(named.read_bytes()))
    assert [passage.text for passage in read_corpus(listed)] == ["A town.", "News."]
    assert [passage.text for passage in read_corpus(named)] == ["A town.", "A tree."]
    assert read_corpus(packed) == read_corpus(named)


def test_a_corpus_comes_first_and_repeats_nothing(tmp_path: Path) -> None:
    found = read_hotpot(write(tmp_path / "q.json", [HOTPOT]))
    corpus = read_corpus(
        write(tmp_path / "c.json", {"Yew": ["A tree."], "Elm": ["Elm dates from 900.", " It is small."]})
    )
    assert [passage.title for passage in with_corpus(found, corpus).passages] == ["Yew", "Elm", "Ash", "Oak"]


@pytest.mark.parametrize(
    ("read", "data"),
    [(read_musique, [{"id": "1"}]), (read_hotpot, [{"_id": 1, "context": 3}]), (read_corpus, [1])],
)
def test_another_format_is_named(tmp_path: Path, read: Any, data: Any) -> None:
    with pytest.raises(BenchmarkFileError, match="published format"):
        read(write(tmp_path / "q.json", data))


def test_broken_json_is_named(tmp_path: Path) -> None:
    path = tmp_path / "q.json"
    path.write_text("[1,", encoding="utf-8")
    with pytest.raises(BenchmarkFileError, match="neither JSON nor JSON lines"):
        read_musique(path)


def test_halves_are_fixed_and_about_even(tmp_path: Path) -> None:
    found = read_musique(write(tmp_path / "q.json", [musique(f"2hop__{i}") for i in range(400)]))
    halves = [question.half for question in found.questions]
    assert 160 < halves.count("tune") < 240
    assert halves == [question.half for question in read_musique(tmp_path / "q.json").questions]


@pytest.mark.shared
def test_real_files(shared: Path) -> None:
    folder = shared / "data" / "qa"
    paths = {
        read_musique: folder / "musique_100" / "questions.json",
        read_hotpot: folder / "hotpot_100" / "questions.json",
        read_2wiki: folder / "2wiki" / "qa_sub_2.json",
        read_multihop_rag: folder / "multihoprag_sample" / "llm-embedder_retrieval_test.json",
    }
    if missing := [path.name for path in paths.values() if not path.exists()]:
        pytest.skip(f"absent from the shared data: {', '.join(missing)}")
    counts = {read.__name__: len(read(path).questions) for read, path in paths.items()}
    assert counts == {"read_musique": 100, "read_hotpot": 100, "read_2wiki": 2, "read_multihop_rag": 8}
    assert all(len(q.gold) >= 2 for read, path in paths.items() for q in read(path).questions)
    found = read_musique(paths[read_musique])
    corpus = read_corpus(folder / "musique_100" / "corpus_1890.json")
    assert len(with_corpus(found, corpus).passages) == len(corpus) == 1890

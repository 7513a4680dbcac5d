"""Readers of the public file formats of MuSiQue, HotpotQA, 2WikiMultiHopQA and MultiHop-RAG.

Each takes the file as it is published (a JSON list, or JSON lines) and gives a `QaBenchmark`. The corpus is that of the
file's own contexts; `with_corpus` adds the passages of a separate corpus file.
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from kg_pipeline.errors import BenchmarkFileError
from retrieval.evaluation.questions import Passage, QaBenchmark, QaQuestion, distinct, make_passage

Record = Mapping[str, Any]


def read_musique(path: Path) -> QaBenchmark:
    """MuSiQue: `paragraphs` with `is_supporting`, `answer` and `answer_aliases`; unanswerable questions are left out."""
    return _read(path, _musique_question)


def _musique_question(record: Record) -> tuple[list[Passage], QaQuestion | None]:
    passages = [make_passage(row["title"], row["paragraph_text"]) for row in record["paragraphs"]]
    if not record.get("answerable", True):
        return passages, None
    gold = [
        passage.passage_id
        for passage, row in zip(passages, record["paragraphs"], strict=True)
        if row["is_supporting"]
    ]
    return passages, QaQuestion(
        question_id=record["id"],
        text=record["question"],
        answers=tuple(dict.fromkeys([record["answer"], *record.get("answer_aliases", ())])),
        gold=frozenset(gold),
        kind=record["id"].partition("_")[0],
    )


def read_hotpot(path: Path) -> QaBenchmark:
    """HotpotQA: `context` of [title, sentences] and `supporting_facts` of [title, sentence number]."""
    return _read(path, _hotpot_question)


def read_2wiki(path: Path) -> QaBenchmark:
    """2WikiMultiHopQA: HotpotQA's format, with `evidences` that retrieval does not need."""
    return _read(path, _hotpot_question)


def _hotpot_question(record: Record) -> tuple[list[Passage], QaQuestion]:
    passages = [_from_sentences(title, sentences) for title, sentences in record["context"]]
    titles = {title for title, _ in record["supporting_facts"]}
    return passages, QaQuestion(
        question_id=record["_id"],
        text=record["question"],
        answers=(record["answer"],),
        gold=frozenset(passage.passage_id for passage in passages if passage.title in titles),
        kind=record["type"],
    )


def _from_sentences(title: str, sentences: Sequence[str]) -> Passage:
    # HotpotQA's sentences begin with their blank; 2Wiki's do not.
    return make_passage(title, " ".join(sentence.strip() for sentence in sentences))


def read_multihop_rag(path: Path) -> QaBenchmark:
    """MultiHop-RAG: `query` with `evidence_list` (in results files `gold_list`) of facts quoted from news articles.

    A gold passage is a fact under its article's title; questions without evidence (`null_query`) are left out.
    """
    return _read(path, _multihop_rag_question)


def _multihop_rag_question(record: Record) -> tuple[list[Passage], QaQuestion | None]:
    evidence = record["evidence_list"] if "evidence_list" in record else record["gold_list"]
    passages = [make_passage(row["title"], row["fact"]) for row in evidence]
    if not passages:
        return passages, None
    return passages, QaQuestion(
        question_id=record["query"],
        text=record["query"],
        answers=(record["answer"],),
        gold=frozenset(passage.passage_id for passage in passages),
        kind=record["question_type"],
    )


#: Readers by the name of their benchmark.
READERS: Mapping[str, Callable[[Path], QaBenchmark]] = MappingProxyType(
    {"musique": read_musique, "hotpot": read_hotpot, "2wiki": read_2wiki, "multihop-rag": read_multihop_rag}
)


#: A key of a question's record that no format before it has, in this order.
_SIGNS: Mapping[str, str] = MappingProxyType(
    {"paragraphs": "musique", "evidences": "2wiki", "supporting_facts": "hotpot", "query": "multihop-rag"}
)


def read_questions(path: Path) -> tuple[str, QaBenchmark]:
    """The name of the benchmark that a file is of, as its records tell, and its questions.

    Raises
    ------
    BenchmarkFileError
        If there is no such file, it has no questions, or it is of none of the benchmarks.

    """
    if not path.is_file():
        raise BenchmarkFileError(
            f"There is no file {path}; name a file of questions as a benchmark publishes it."
        )
    try:
        first = next(_records(_load(path)), {})
        name = next((name for key, name in _SIGNS.items() if key in first), "")
    except (KeyError, TypeError) as error:
        raise _unexpected(path, error) from error
    if not name:
        raise BenchmarkFileError(
            f"{path} holds no questions of {', '.join(READERS)}: no record has {', '.join(_SIGNS)}."
        )
    benchmark = READERS[name](path)
    if not benchmark.questions:
        raise BenchmarkFileError(f"{path} holds no question that has an answer and gold passages.")
    return name, benchmark


def read_corpus(path: Path) -> tuple[Passage, ...]:
    """A corpus file: a list of objects with `title` and `text` (or `body`), or sentences or a text by title.

    Raises
    ------
    BenchmarkFileError
        If the file is neither.

    """
    data = _load(path)
    try:
        if isinstance(data, Mapping):
            return distinct(
                make_passage(title, body) if isinstance(body, str) else _from_sentences(title, body)
                for title, body in data.items()
            )
        return distinct(
            make_passage(row["title"], row["text"] if "text" in row else row["body"]) for row in data
        )
    except (AttributeError, KeyError, TypeError) as error:
        raise _unexpected(path, error) from error


def with_corpus(benchmark: QaBenchmark, corpus: Sequence[Passage]) -> QaBenchmark:
    """The benchmark over a corpus file, in its order, and whatever passages of the questions it lacks."""
    return replace(benchmark, passages=distinct([*corpus, *benchmark.passages]))


def _read(path: Path, parse: Callable[[Record], tuple[list[Passage], QaQuestion | None]]) -> QaBenchmark:
    passages: list[Passage] = []
    questions: list[QaQuestion] = []
    try:
        for record in _records(_load(path)):
            found, question = parse(record)
            passages += found
            if question is not None and question.gold:
                questions.append(question)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise _unexpected(path, error) from error
    return QaBenchmark(distinct(passages), tuple(questions))


def _records(data: Any) -> Iterator[Record]:
    yield from data if isinstance(data, list) else data["data"]


def _load(path: Path) -> Any:
    """JSON, JSON lines, or either under xz."""
    raw = path.read_bytes()
    text = (lzma.decompress(raw) if path.suffix == ".xz" else raw).decode("utf-8")
    try:
        return json.loads(text)
    except json.JSONDecodeError as whole:
        try:
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        except json.JSONDecodeError:
            raise BenchmarkFileError(f"{path} is neither JSON nor JSON lines: {whole}.") from whole


def _unexpected(path: Path, error: Exception) -> BenchmarkFileError:
    return BenchmarkFileError(
        f"{path} does not have the published format ({type(error).__name__}: {error}). Compare it with the benchmark's download."
    )

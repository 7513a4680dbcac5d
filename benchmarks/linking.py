"""Names to concepts, beside scispaCy's linker: `python benchmarks/linking.py [--concepts 20000] [--names 2000]`.

Both index the same concepts of the packaged vocabulary and are asked the same names: as they are, with a typing error, in
the plural, and with their words the other way round; and names of concepts that neither was given, where no answer is
right. scispaCy's candidate generator (TF-IDF over character trigrams,
approximate neighbours by nmslib) is what a user would take, built here over our concepts as its own are not open data. A
name counts as right if the first candidate is a concept that has it. Prints a table and writes JSON.
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import tempfile
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import open_vocabulary
from kg_pipeline.vocabulary.index.stack import OPEN_VOCABULARY
from kg_pipeline.vocabulary.linking.links import link

Answers = list[str | None]
Linker = Callable[[Sequence[tuple[str, str]]], Answers]
_BATCH = 256
_THRESHOLD = 0.7  # what scispaCy's linker takes by default


def main() -> None:
    """Build both, ask both, tell what they took and how often they were right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--concepts", type=int, default=20_000)
    parser.add_argument("--names", type=int, default=2_000, help="asked in each of the forms")
    parser.add_argument("--output", type=Path, default=Path("bench-linking.json"))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="kg-linking-") as place:
        table = Path(place) / "concepts.parquet"
        concepts = _some_concepts(options.concepts)
        pq.write_table(concepts.to_arrow(), table)
        right = _concepts_of_names(concepts)
        report = {}
        for name, build in (("ours", _ours), ("scispaCy", _scispacy)):
            used = time.process_time()
            linker = build(table, Path(place))
            report[name] = {"build, CPU s": round(time.process_time() - used, 1)}
            for form, altered in _FORMS.items():
                report[name] |= _asked(linker, _questions(concepts, options.names, altered), right, form)
            report[name] |= _asked(linker, _foreign(right, options.names), {}, "of no concept")
    _show(report)
    told = {"concepts": options.concepts, "machine": platform.platform(), "linkers": report}
    options.output.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


def _some_concepts(count: int) -> pl.DataFrame:
    """Concepts drawn evenly from the packaged vocabulary, the same for the same count."""
    table = pl.read_parquet(OPEN_VOCABULARY)
    return table.sample(min(count, table.height), seed=7).sort("concept_id")


def _concepts_of_names(concepts: pl.DataFrame) -> Mapping[str, set[str]]:
    found: dict[str, set[str]] = {}
    for concept, names in concepts.select("concept_id", "names").iter_rows():
        for name in names:
            found.setdefault(name.lower(), set()).add(concept)
    return found


def _ours(table: Path, place: Path) -> Linker:
    vocabulary = open_vocabulary(build_vocabulary(load_settings({"KG_HOME": str(place / "home")}), table))

    def ask(names: Sequence[tuple[str, str]]) -> Answers:
        answers = (link(name, category, vocabulary) for name, category in names)
        return [found[0].candidate.concept_id if found else None for found in answers]

    return ask


def _scispacy(table: Path, place: Path) -> Linker:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import nmslib
        import numpy as np
        from scispacy.candidate_generation import CandidateGenerator
        from scispacy.linking_utils import KnowledgeBase
        from sklearn.feature_extraction.text import TfidfVectorizer

    described = place / "concepts.jsonl"
    _write_jsonl(table, described)
    knowledge = KnowledgeBase(str(described))
    # The steps and parameters of its `create_tfidf_ann_index`, which refuses newer versions of SciPy because of how it
    # saves the vectors.
    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), min_df=10, dtype=np.float32)
    names = list(knowledge.alias_to_cuis)
    vectors = vectorizer.fit_transform(names)
    kept = np.asarray(vectors.sum(axis=1)).reshape(-1) != 0
    index = nmslib.init(method="hnsw", space="cosinesimil_sparse", data_type=nmslib.DataType.SPARSE_VECTOR)
    index.addDataPointBatch(vectors[kept])
    index.createIndex({"M": 100, "indexThreadQty": 2, "efConstruction": 2000, "post": 0})
    known = [name for name, keep in zip(names, kept, strict=True) if keep]
    generator = CandidateGenerator(index, vectorizer, known, knowledge)

    def ask(asked: Sequence[tuple[str, str]]) -> Answers:
        answers: Answers = []
        for start in range(0, len(asked), _BATCH):
            for candidates in generator([name for name, _ in asked[start : start + _BATCH]], k=30):
                best = max(candidates, key=lambda candidate: max(candidate.similarities), default=None)
                is_near = best is not None and max(best.similarities) >= _THRESHOLD
                answers.append(best.concept_id if best is not None and is_near else None)
        return answers

    return ask


def _write_jsonl(table: Path, path: Path) -> None:
    with path.open("w", encoding="utf-8") as stream:
        for concept, name, names in pl.read_parquet(table).select("concept_id", "name", "names").iter_rows():
            row = {"concept_id": concept, "canonical_name": name, "aliases": names, "types": []}
            stream.write(json.dumps(row) + "\n")


def _as_it_is(name: str, _: random.Random) -> str:
    return name


def _mistyped(name: str, draw: random.Random) -> str:
    """Two letters inside a word change places."""
    at = [i for i in range(1, len(name) - 2) if name[i].isalpha() and name[i + 1].isalpha()]
    if len(name) < 8 or not at:
        return name
    i = draw.choice(at)
    return f"{name[:i]}{name[i + 1]}{name[i]}{name[i + 2 :]}"


def _plural(name: str, _: random.Random) -> str:
    return f"{name}s" if name[-1].isalpha() and name[-1] != "s" else name


def _turned(name: str, _: random.Random) -> str:
    first, space, last = name.rpartition(" ")
    return f"{last}, {first}" if space and "," not in name else name


_FORMS: dict[str, Callable[[str, random.Random], str]] = {
    "as it is": _as_it_is,
    "mistyped": _mistyped,
    "plural": _plural,
    "turned": _turned,
}

Question = tuple[str, str, str]


def _questions(
    concepts: pl.DataFrame, count: int, altered: Callable[[str, random.Random], str]
) -> list[Question]:
    """What is asked, the category a tagger would give it, and the name it was made of; only names that it alters."""
    draw = random.Random(11)
    rows = concepts.select("names", "category").rows()
    made: list[Question] = []
    for names, category in draw.sample(rows, len(rows)):
        name = draw.choice(names)
        asked = altered(name, draw)
        if altered is _as_it_is or asked != name:
            made.append((asked, category, name))
        if len(made) == count:
            break
    return made


def _foreign(right: Mapping[str, set[str]], count: int) -> list[Question]:
    """Names of other concepts of the vocabulary."""
    rows = pl.read_parquet(OPEN_VOCABULARY).sample(2 * count, seed=8).select("name", "category").rows()
    return [(name, category, name) for name, category in rows if name.lower() not in right][:count]


def _asked(
    linker: Linker, questions: Sequence[Question], right: Mapping[str, set[str]], form: str
) -> dict[str, float]:
    used = time.process_time()
    answers = linker([(asked, category) for asked, category, _ in questions])
    seconds = time.process_time() - used
    names = (name for *_, name in questions)
    # A name of no concept is right without an answer.
    correct = sum(
        answer in right.get(name.lower(), {None}) for answer, name in zip(answers, names, strict=True)
    )
    return {
        f"{form}, % right": round(100 * correct / len(questions), 1),
        f"{form}, names a CPU s": round(len(questions) / seconds),
    }


def _show(report: Mapping[str, Mapping[str, float]]) -> None:
    table = Table("", *report)
    for what in next(iter(report.values())):
        table.add_row(what, *(f"{figures[what]:,}" for figures in report.values()))
    Console().print(table)


if __name__ == "__main__":
    main()

"""Readers of annotated corpora: what they keep, and what they refuse."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.errors import BenchmarkFileError
from kg_pipeline.evaluation.gold import GoldRelation, read_abbreviations, read_chemprot, read_pubtator

ARTICLE = (
    "1|t|Lithium and EGFR p.L858R.\n"
    "1|a|Lithium harms kidneys.\n"
    "1\t0\t7\tLithium\tChemical\tD008094\n"
    "1\t12\t16\tEGFR\tGeneOrGeneProduct\t1956,2065\n"
    "1\t17\t24\tp.L858R\tSequenceVariant\tp|SUB|L|858|R\n"
    "1\t26\t33\tLithium\tChemical\t-1\n"
    "1\tAssociation\tD008094\t1956\tNovel\n"
    "1\tCID\tD008094\tD007674\n"
)


def test_pubtator_keeps_spans_identifiers_and_relations(tmp_path: Path) -> None:
    path = tmp_path / "a.PubTator"
    path.write_text(f"{ARTICLE}\n{ARTICLE}", encoding="utf-8")
    (article,) = read_pubtator(path)
    assert [article.text[m.start : m.end] for m in article.mentions] == [m.text for m in article.mentions]
    assert [m.identifiers for m in article.mentions] == [
        ("D008094",),
        ("1956", "2065"),
        ("p|SUB|L|858|R",),
        (),
    ]
    assert article.relations == (
        GoldRelation("Association", "D008094", "1956", novel=True),
        GoldRelation("CID", "D008094", "D007674", novel=None),
    )


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("\t0\t7\t", "\t1\t8\t", "not 'Lithium'"),
        ("1|a|", "1|t|", "does not begin with its title and abstract"),
        ("1\tCID\tD008094\tD007674", "1\tCID", "cannot be read"),
        ("1|t|", "1 t ", "is no title or abstract"),
    ],
)
def test_a_file_that_is_not_pubtator_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    path = tmp_path / "a.PubTator"
    path.write_text(ARTICLE.replace(old, new), encoding="utf-8")
    with pytest.raises(BenchmarkFileError, match=said):
        list(read_pubtator(path))


WORDS = st.text("abc-<[]> ", min_size=1, max_size=8).map(str.strip).filter(
    lambda word: word and not any(mark in word for mark in ("<<", ">>", "[[", "]]"))
)  # fmt: skip


@given(before=WORDS, first=WORDS, between=WORDS, second=WORDS)
def test_chemprot_marks_become_spans(
    tmp_path_factory: pytest.TempPathFactory, before: str, first: str, between: str, second: str
) -> None:
    import json

    path = tmp_path_factory.mktemp("chemprot") / "a.jsonl"
    text = f"{before} [[ {first} ]] {between} << {second} >>."
    path.write_text(json.dumps({"text": text, "label": "INHIBITOR"}), encoding="utf-8")
    (sentence,) = read_chemprot(path)
    assert sentence.text == f"{before} {first} {between} {second}."
    assert sentence.text[slice(*sentence.second)] == first
    assert sentence.text[slice(*sentence.first)] == second


def test_chemprot_without_both_marks_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "<< A >> inhibits B.", "label": "INHIBITOR"}', encoding="utf-8")
    with pytest.raises(BenchmarkFileError, match="does not mark both"):
        list(read_chemprot(path))


def test_abbreviations_come_with_and_without_scores(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("1\nA title.\n  GA|general anesthesia|0.99\nText.\n\n2\nOther.\n", encoding="utf-8")
    first, second = read_abbreviations(path)
    assert (first.pairs, first.text) == (frozenset({("GA", "general anesthesia")}), "A title.\nText.")
    assert (second.pmid, second.pairs) == ("2", frozenset())

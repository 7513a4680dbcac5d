"""The sample corpus keeps its promises: well-formed, clearly not real, and every gold quote is in its article."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from kg_pipeline.corpora import DEMO, find_corpus
from kg_pipeline.vocabulary.predicates import PREDICATES

ARTICLES = find_corpus(Path("absent.toml"), DEMO).source_path
FOLDER = ARTICLES.parent
PATHS = sorted(ARTICLES.glob("*.xml"))
QUESTIONS = tomllib.loads((FOLDER / "questions.toml").read_text(encoding="utf-8"))["question"]
EXPECTED = tomllib.loads((FOLDER / "expected.toml").read_text(encoding="utf-8"))
RETRACTED = "PMC99900013"
KINDS = {"1-hop", "2-hop", "3-hop", "4-hop", "negated", "contradiction", "retracted", "unanswerable"}

_BLOCKS = {"p", "title", "article-title", "td", "th", "kwd", "label", "abstract", "sec", "tr"}


@cache
def _root(path: Path) -> Any:
    parser = etree.XMLParser(load_dtd=False, no_network=True, resolve_entities=False)
    return etree.parse(path, parser).getroot()


def _flat(element: Any) -> str:
    """Text of an element on one line, tags removed, blocks kept apart."""
    parts = []
    for event, node in etree.iterwalk(element, events=("start", "end")):
        if event == "start":
            parts.append(node.text or "")
        else:
            parts.append(" " if node.tag in _BLOCKS else "")
            parts.append(node.tail or "" if node is not element else "")
    return " ".join("".join(parts).split())


@cache
def _texts() -> dict[str, str]:
    """Title, abstract and body of each article: what a graph may be built from."""
    texts = {}
    for path in PATHS:
        found = [_root(path).find(tag) for tag in (".//article-title", ".//abstract", "body")]
        texts[path.stem] = " ".join(_flat(part) for part in found if part is not None)
    return texts


def _grid(table: Any) -> list[list[str]]:
    """Cells of a table with spans expanded; enough for the samples."""
    filled: dict[tuple[int, int], str] = {}
    rows = table.findall(".//tr")
    for y, row in enumerate(rows):
        x = 0
        for cell in row:
            while (y, x) in filled:
                x += 1
            for down in range(int(cell.get("rowspan", 1))):
                for right in range(int(cell.get("colspan", 1))):
                    filled[y + down, x + right] = _flat(cell)
            x += int(cell.get("colspan", 1))
    width = 1 + max(x for _, x in filled)
    return [[filled[y, x] for x in range(width)] for y in range(len(rows))]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_each_article_is_marked_as_a_sample_with_invented_identifiers(path: Path) -> None:
    root = _root(path)
    ids = {node.get("pub-id-type"): node.text for node in root.findall("front/article-meta/article-id")}

    assert ids == {"pmcid": path.stem, "doi": f"10.5555/kg.sample.{int(path.stem[-5:])}"}
    assert re.fullmatch(r"PMC999\d{5}", path.stem)
    assert "It is not a study" in _flat(root.find("front/notes"))
    assert root.findtext(".//journal-title") == "Sample Articles for Knowledge Graphs"
    assert root.findtext(".//pub-date/year") == "2026"
    assert root.find(".//surname") is None
    assert all(node.text.startswith("10.5555/kg.sample.") for node in root.iter("pub-id"))


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_internal_links_and_citations_resolve(path: Path) -> None:
    root = _root(path)
    ids = [node.get("id") for node in root.iter() if node.get("id")]
    known = {int(other.stem[-5:]) for other in PATHS}

    assert max(Counter(ids).values(), default=1) == 1
    assert {node.get("rid") for node in root.iter("xref")} <= set(ids)
    assert {node.get("rid") for node in root.iter("xref")} >= {node.get("id") for node in root.iter("ref")}
    assert {int(node.text.rpartition(".")[2]) for node in root.iter("pub-id")} <= known


def test_the_corpus_has_the_shapes_it_is_there_to_show() -> None:
    roots = [_root(path) for path in PATHS]
    licences = Counter(root.find(".//license").get("{http://www.w3.org/1999/xlink}href") for root in roots)

    assert len(roots) == 13
    assert {root.get("article-type") for root in roots} >= {
        "research-article",
        "review-article",
        "case-report",
    }
    assert sum(root.find("body") is None for root in roots) == 1
    assert licences == {
        "https://creativecommons.org/publicdomain/zero/1.0/": 12,
        "https://creativecommons.org/licenses/by-nc/4.0/": 1,
    }
    for query in (
        "//td[@rowspan]",
        "//th[@colspan]",
        "//fig/caption",
        "//glossary",
        "//sec/sec/sec",
        "//tex-math",
    ):
        assert any(root.xpath(query) for root in roots), query
    assert any(root.find(".//{http://www.w3.org/1998/Math/MathML}math") is not None for root in roots)
    marks = {f"{node.tag}:{node.text}" for root in roots for node in root.iter("sup", "sub")}
    assert {"sup:6", "sup:2+", "sup:+", "sub:50"} <= marks


def test_exactly_one_article_is_retracted_and_says_so_twice() -> None:
    by_title = [
        path.stem for path in PATHS if _root(path).findtext(".//article-title").startswith("RETRACTED: ")
    ]
    by_link = [
        path.stem
        for path in PATHS
        if _root(path).xpath("//related-article[@related-article-type='retraction-forward']")
    ]

    assert by_title == by_link == [RETRACTED]


def test_bodies_are_short_but_not_trivial() -> None:
    lengths = {article: len(text.split()) for article, text in _texts().items()}

    assert all(180 <= length <= 450 for article, length in lengths.items() if article != "PMC99900006"), (
        lengths
    )


@pytest.mark.parametrize("kind", ["triple", "forbidden", "short_form"])
def test_expected_quotes_stand_in_their_article(kind: str) -> None:
    absent = [row for row in EXPECTED[kind] if row["quote"] not in _texts()[row["article"]]]

    assert EXPECTED[kind]
    assert absent == []


@pytest.mark.parametrize("kind", ["triple", "forbidden"])
def test_expected_triples_use_the_closed_set_and_words_of_their_quote(kind: str) -> None:
    for row in EXPECTED[kind]:
        assert row["predicate"] in PREDICATES, row
        assert row["head"].lower() in row["quote"].lower(), row
        assert row["tail"].lower() in row["quote"].lower(), row


def test_every_article_has_expected_triples_except_the_retracted_one() -> None:
    counts = Counter(row["article"] for row in EXPECTED["triple"])

    assert set(counts) == {path.stem for path in PATHS} - {RETRACTED}
    assert all(count >= 6 for article, count in counts.items() if article != "PMC99900006"), counts
    assert {row["article"] for row in EXPECTED["forbidden"]} == {RETRACTED}
    assert len({tuple(sorted(row.items())) for row in EXPECTED["triple"]}) == len(EXPECTED["triple"])


def test_nothing_of_the_retracted_claim_is_said_elsewhere() -> None:
    others = [
        article for article, text in _texts().items() if re.search(r"\bharp\b|\bmusic\b", text, re.IGNORECASE)
    ]

    assert others == [RETRACTED]


def test_negated_and_speculative_statements_are_among_the_expected() -> None:
    assert sum(row.get("negated", False) for row in EXPECTED["triple"]) >= 4
    assert sum(row.get("speculative", False) for row in EXPECTED["triple"]) >= 2


def test_one_claim_is_stated_and_denied_by_different_articles() -> None:
    polarity: dict[tuple[str, str, str], dict[bool, str]] = {}
    for row in EXPECTED["triple"]:
        key = (row["head"].lower(), row["predicate"], row["tail"].lower())
        polarity.setdefault(key, {})[row.get("negated", False)] = row["article"]

    disputed = {key: sides for key, sides in polarity.items() if len(sides) == 2}
    assert disputed == {
        ("vitamin d supplementation", "decreases", "disease activity"): {
            False: "PMC99900005",
            True: "PMC99900007",
        }
    }


def test_a_short_form_has_two_meanings_across_articles_and_within_one() -> None:
    within = {row["long"] for row in EXPECTED["short_form"] if row["article"] == "PMC99900012"}
    elsewhere = {
        (row["article"], row["long"]) for row in EXPECTED["short_form"] if row["article"] != "PMC99900012"
    }

    assert within == {"lymph node", "lupus nephritis"}
    assert elsewhere == {("PMC99900004", "lupus nephritis"), ("PMC99900008", "lymph node")}
    for row in EXPECTED["short_form"]:
        text = _texts()[row["article"]]
        before = text[: text.index(row["quote"])].lower()
        meanings = ("lymph nodes", "lymph node", "lupus nephritis")
        places = {before.rfind(f"{long} ({row['short'].lower()})"): long for long in meanings}
        assert max(places) >= 0, row
        assert places[max(places)].startswith(row["long"]), (
            "the nearest definition before the quote has that meaning"
        )


def test_table_facts_are_rows_once_spans_are_expanded() -> None:
    for row in EXPECTED["table_fact"]:
        grids = [_grid(table) for table in _root(ARTICLES / f"{row['article']}.xml").iter("table")]
        assert any(row["row"] in grid for grid in grids), row


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question["id"])
def test_each_question_has_a_gold_path_that_fits_its_kind(question: dict[str, Any]) -> None:
    hops, kind = question["hops"], question["kind"]

    assert kind in KINDS
    assert (
        question["answered"]
        == (kind not in {"retracted", "unanswerable"})
        == bool(hops)
        == bool(question["terms"])
    )
    for hop in hops:
        assert hop["quote"] in _texts()[hop["article"]], hop
    assert RETRACTED not in {hop["article"] for hop in hops}
    if kind.endswith("-hop"):
        assert len(hops) == int(kind[0])
        assert len({hop["article"] for hop in hops}) == len(hops), "each hop stands in another article"


@pytest.mark.parametrize(
    "question", [q for q in QUESTIONS if q["answered"]], ids=lambda question: question["id"]
)
def test_terms_of_an_answer_stand_in_the_articles_of_its_path(question: dict[str, Any]) -> None:
    text = " ".join(_texts()[hop["article"]] for hop in question["hops"]).lower()

    for term in question["terms"]:
        assert any(option.lower() in text for option in term.split("|")), term


def test_questions_cover_the_kinds_and_two_are_for_the_demonstration() -> None:
    kinds = Counter(question["kind"] for question in QUESTIONS)
    demo = [(q["id"], q["kind"]) for q in QUESTIONS if q["demo"]]

    assert set(kinds) == KINDS
    assert sum(not question["answered"] for question in QUESTIONS) == 4
    assert demo == [("uvb-nephritis", "4-hop"), ("ascl1-drug", "2-hop")]
    assert len({question["id"] for question in QUESTIONS}) == len(QUESTIONS)

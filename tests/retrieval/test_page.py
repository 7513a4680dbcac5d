"""The page of an answer: what is on it, that nothing on it is markup of an article, and that a browser draws it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path

import pytest

from retrieval.answers.page import graph_data, render_page
from retrieval.graph import Graph
from retrieval.methods.registry import METHODS
from tests.retrieval.conftest import open_memory
from tests.retrieval.hostile_graph import HARMFUL, hostile

VOID = {"meta", "link", "br", "img", "input", "hr"}


class Page(HTMLParser):
    """Elements, text and attributes of a page; fails where tags do not match."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts[self.open[-1] if self.open else ""] = (
            self.texts.get(self.open[-1] if self.open else "", "") + data
        )

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def contents(text: str, tag: str, attributes: str = "") -> str:
    [found] = re.findall(rf"<{tag}{attributes}>(.*?)</{tag}>", text, re.DOTALL)
    assert isinstance(found, str)
    return found


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_citation_opens_its_article(lupus_graph: Graph, method: str) -> None:
    answer = lupus_graph.ask("Does vitamin D treat lupus?", method)
    page = Page(render_page(answer))
    links = [a for a in page.named("a") if (a["href"] or "").startswith("https:")]
    assert [a["href"] for a in links] == [
        f"https://pmc.ncbi.nlm.nih.gov/articles/{c.article_id}/" for c in answer.citations
    ]
    assert all(a["rel"] == "noopener noreferrer" for a in links)
    targets = {item["id"] for item in page.named("li") if "id" in item}
    marks = {(a["href"] or "")[1:] for a in page.named("a") if a.get("class") == "mark"}
    assert marks == targets == {f"source-{c.number}" for c in answer.citations}
    for citation in answer.citations:
        assert citation.quote in page.texts["blockquote"]
        assert citation.title in page.texts["a"]


def test_the_page_is_one_file_that_allows_its_own_script_and_style_and_nothing_else(
    lupus_graph: Graph,
) -> None:
    text = render_page(lupus_graph.ask("How is UV related to Lupus?"))
    page = Page(text)
    assert not {"link", "img", "iframe", "object", "base", "form"} & {tag for tag, _ in page.tags}
    assert all("src" not in a and not any(name.startswith("on") for name in a) for _, a in page.tags)
    assert not any("style" in attributes for _, attributes in page.tags)
    [policy] = [
        m["content"] or "" for m in page.named("meta") if m.get("http-equiv") == "Content-Security-Policy"
    ]
    allowed = dict(part.split(" ", 1) for part in policy.split("; "))
    assert allowed["default-src"] == allowed["base-uri"] == allowed["form-action"] == "'none'"
    for directive, tag in (("script-src", "script"), ("style-src", "style")):
        digest = hashlib.sha256(contents(text, tag).encode()).digest()
        assert allowed[directive] == f"'sha256-{base64.b64encode(digest).decode()}'"


def test_the_graph_on_the_page_is_the_evidence_graph(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("How do plasmacytoid dendritic cells contribute to lupus?")
    data = json.loads(contents(render_page(answer), "script", ' type="application/json" id="graph-data"'))
    assert data == graph_data(answer)
    assert [node["name"] for node in data["nodes"]] == [
        answer.graph.entities[e] for e in sorted(answer.graph.entities)
    ]
    looks = {(data["nodes"][e["from"]]["name"], e["label"]): e for e in data["edges"]}
    inferred = looks["plasmacytoid dendritic cell", "increases"]
    assert (inferred["look"], inferred["citations"]) == ("inferred", [])
    assert [premise["citations"] for premise in inferred["premises"]] == [[1], [2]]
    assert looks["type I interferon", "increases"]["look"] == "asserted"
    denied = graph_data(lupus_graph.ask("Does vitamin D treat lupus?"))["edges"]
    assert sorted(edge["look"] for edge in denied) == ["asserted", "negated"]


def test_an_unanswered_question_has_a_page_with_the_reason_and_no_graph(lupus_graph: Graph) -> None:
    answer = lupus_graph.ask("What is the capital of France?")
    page = Page(render_page(answer))
    assert "No information available" in page.texts["p"]
    assert answer.trace.reason in page.texts["p"]
    assert not page.named("svg")


def test_the_trace_is_a_tree_to_open(lupus_graph: Graph) -> None:
    page = Page(render_page(lupus_graph.ask("How is UV related to Lupus?")))
    assert "Hops that the answer rests on" in page.texts["summary"]
    assert [("open" in details) for details in page.named("details")].count(True) == 1


@pytest.mark.parametrize("method", sorted(METHODS))
@pytest.mark.parametrize(
    "question", ["What does Evilumab inhibit?", "Does Evilumab treat lupus?", "<b>Evilumab</b>"]
)
def test_nothing_of_an_article_or_a_question_is_markup(method: str, question: str) -> None:
    answer = open_memory(hostile()).ask(question, method)
    text = render_page(answer)
    page = Page(text)
    assert not {"img", "b", "textarea"} & {tag for tag, _ in page.tags}
    assert len(page.named("script")) == 2
    assert not any(letter in text for letter in HARMFUL)


def browser() -> str:
    for name in ("chromium", "chromium-browser", "google-chrome", "chrome"):
        path = shutil.which(name)
        if path:
            return path
    pytest.skip("no Chromium on this machine draws the page")


@pytest.mark.integration
def test_a_browser_draws_the_graph_and_runs_nothing_else(tmp_path: Path) -> None:
    program = browser()
    path = tmp_path / "answer.html"
    answer = open_memory(hostile()).ask("Does Evilumab treat lupus?")
    assert answer.graph.edges
    path.write_text(render_page(answer), encoding="utf-8")
    flags = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--no-first-run",
    ]
    drawn = subprocess.run(
        [program, *flags, f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=60, check=True,
    ).stdout  # fmt: skip
    assert drawn.count('class="edge ') == len(answer.graph.edges)
    assert drawn.count('class="node"') == len(answer.graph.entities)
    assert re.search(r'class="line" d="M[-\d.]+,', drawn)
    assert "<title>owned</title>" not in drawn
    assert "<title>Does Evilumab treat lupus?</title>" in drawn

"""`kg demo`: build the packaged corpus, ask its two questions, say where to look next."""

from __future__ import annotations

import tomllib
from importlib import resources

from rich.console import Console
from rich.rule import Rule

import retrieval
from kg_pipeline.cli import building, show
from kg_pipeline.corpora import DEMO

_NEXT = """\
Next:
  kg ask demo "…"                      ask your own question
  kg ui                                see the assets, their tables and checks in Dagster
  kg build NAME --source FOLDER        build a graph from your own JATS articles
  kg doctor                            what is installed, and what a language model or Neo4j would add"""


def questions() -> list[str]:
    """Questions that the demo asks, from the corpus' own list."""
    text = resources.files("kg_pipeline.demo").joinpath("questions.toml").read_text(encoding="utf-8")
    return [question["text"] for question in tomllib.loads(text)["question"] if question.get("demo")]


def run(console: Console) -> None:
    """Build, show, ask."""
    show.build_result(console, building.build(DEMO, None, console))
    with retrieval.open(DEMO) as graph:
        for question in questions():
            console.print(Rule())
            console.print(f"Question: {question}\n", markup=False, soft_wrap=True)
            console.print(graph.ask(question).render(), markup=False, soft_wrap=True)
    console.print(Rule())
    console.print(_NEXT, markup=False, soft_wrap=True)

"""`kg ask`: one question, its answer in the form asked for, and how it came about."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

import retrieval
from kg_pipeline.cli.readable import readable_versions
from kg_pipeline.errors import QuestionError, SettingsError
from kg_pipeline.files import replacing
from kg_pipeline.settings import load_settings
from retrieval.answers.explain import Branch, Tone, explain

_STYLES: dict[Tone, str] = {"plain": "", "kept": "green", "dropped": "yellow", "muted": "dim"}


@dataclass(frozen=True, slots=True)
class Form:
    """What is to be made of an answer."""

    text: bool = True
    as_json: bool = False
    explain: bool = False
    html: Path | None = None

    def __post_init__(self) -> None:
        if self.as_json and self.explain:
            raise SettingsError("--json has the trace in it already; leave out --explain.")


def open_corpus(corpus: str, version: str) -> retrieval.Graph:
    """The graph of a corpus that the corpora file knows."""
    settings = load_settings()
    readable_versions(settings, corpus)
    return retrieval.open(corpus, version=version, settings=settings)


def ask(corpus: str, question: str | None, version: str, method: str, form: Form, console: Console) -> None:
    """Answer one question."""
    if question is None:
        raise QuestionError(
            'Ask a question in words: kg ask CORPUS "…"; or several in turn: kg ask CORPUS -i'
        )
    with open_corpus(corpus, version) as graph:
        answer = graph.ask(question, method=method)
    show(answer, form, console)
    if form.html is not None:
        write_page(answer, form.html)
        if not form.as_json:
            console.print(f"Page: {form.html}", markup=False)


def show(answer: retrieval.Answer, form: Form, console: Console) -> None:
    """Print an answer in its form."""
    if form.as_json:
        console.print(answer.to_json(), markup=False)
        return
    if form.text:
        console.print(answer.render(), markup=False)
    if form.explain:
        console.print()
        console.print(trace_tree(answer), soft_wrap=False)


def write_page(answer: retrieval.Answer, path: Path) -> None:
    """Write the page of an answer, whole or not at all.

    Raises
    ------
    SettingsError
        If there can be no such file.

    """
    from retrieval.answers.page import render_page  # the template engine loads only where a page is made

    page = render_page(answer)
    try:
        with replacing(path) as aside:
            aside.write_text(page, encoding="utf-8")
    except OSError as error:
        raise SettingsError(
            f"{path} cannot be written: {error.strerror}. Name a file in a folder that you may write to."
        ) from error


def trace_tree(answer: retrieval.Answer) -> Tree:
    """How an answer came about, as a tree to print."""
    root = explain(answer)
    tree = Tree(_label(root), guide_style="dim")
    _grow(tree, root)
    return tree


def _grow(tree: Tree, branch: Branch) -> None:
    for inner in branch.branches:
        _grow(tree.add(_label(inner)), inner)


def _label(branch: Branch) -> Text:
    """Text, never markup: brackets of an article are no styles."""
    label = Text(branch.text, style=_STYLES[branch.tone])
    if branch.note:
        label.append(f"  {branch.note}", style="dim")
    return label

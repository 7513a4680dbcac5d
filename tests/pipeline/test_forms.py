"""What `kg ask` and `kg mcp` refuse, without a process of their own."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kg_pipeline.cli import app, asking
from kg_pipeline.errors import KgError, ModelError, QuestionError, SettingsError
from retrieval.answer import Answer


def refused(*arguments: str) -> BaseException | None:
    result = CliRunner().invoke(app.app, list(arguments))
    assert result.output == ""
    assert result.exit_code == 1
    return result.exception


@pytest.mark.parametrize(
    ("arguments", "kind", "words"),
    [
        (("ask", "demo"), QuestionError, "kg ask CORPUS -i"),
        (("ask", "demo", "Why?", "--json", "--explain"), SettingsError, "leave out --explain"),
        (("ask", "demo", "-i", "--html", "x.html"), SettingsError, "leave out -i"),
        (("ask", "demo", "-i", "--method", "magic"), KgError, "use one of auto"),
    ],
)
def test_what_does_not_go_together_is_refused_before_anything_is_opened(
    arguments: tuple[str, ...],
    kind: type[KgError],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path))
    error = refused(*arguments)
    assert isinstance(error, kind)
    assert words in str(error)


def test_without_the_sdk_one_sentence_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "kg_pipeline.cli.mcp_server", raising=False)
    monkeypatch.delattr("kg_pipeline.cli.mcp_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp", None)
    monkeypatch.setitem(sys.modules, "mcp.server.mcpserver", None)
    error = refused("mcp", "demo")
    assert isinstance(error, ModelError)
    assert "pip install 'kg-pipeline[mcp]'" in str(error)


def test_a_page_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    answer = Answer("Why?", "x", False, (), (), None, "auto", "extractive", "demo", "v1")
    with pytest.raises(SettingsError, match=r"Is a directory\. Name a file"):
        asking.write_page(answer, tmp_path)
    assert list(tmp_path.iterdir()) == []

"""What the documentation says: its commands run, its links lead somewhere, its tables are those of the schema."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path

import pytest
import yaml

from kg_pipeline.corpora import load_corpora
from kg_pipeline.errors import SettingsError
from kg_pipeline.settings import load_settings
from tests.pipeline.command import run_kg

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_TOML = re.compile(r"```toml\n(.*?)```", re.DOTALL)
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
_VARIABLE = re.compile(r"\bKG_[A-Z0-9_]*[A-Z0-9]\b")
_COMMAND = re.compile(r"^\s*(?:\$ )?kg ([a-z]+)", re.MULTILINE)


def commands() -> list[str]:
    """Every `$ kg …` line of the console blocks, once."""
    lines = [
        line for page in PAGES for block in _CONSOLE.findall(page.read_text()) for line in block.splitlines()
    ]
    return sorted({line.removeprefix("$ ") for line in lines if line.startswith("$ kg ")})


@pytest.mark.integration
@pytest.mark.parametrize("line", commands())
def test_the_commands_of_the_pages_run(built: Path, line: str) -> None:
    result = run_kg(built, *shlex.split(line)[1:])
    assert result.returncode == 0, result.stderr


def test_the_commands_that_pages_only_show_exist() -> None:
    from kg_pipeline.cli.app import app

    known = {command.name or command.callback.__name__ for command in app.registered_commands}
    known |= {group.name or group.typer_instance.info.name for group in app.registered_groups}
    for page in PAGES:
        shown = set(_COMMAND.findall("\n".join(re.findall(r"```.*?```", page.read_text(), re.DOTALL))))
        assert shown <= known, page


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in _LINK.findall(page.read_text()):
        assert (page.parent / target).exists(), target


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_variables_that_pages_name_are_settings(page: Path) -> None:
    for name in set(_VARIABLE.findall(page.read_text())) - {"KG_LLM", "KG_NEO4J", "KG_PMC"}:
        assert "is not a setting" not in complaint_about(name), name


def complaint_about(variable: str) -> str:
    """What is said of the variable; a value that does not fit is another complaint than a name that is no setting."""
    needed = {"KG_LLM_BASE_URL": "http://x", "KG_LLM_MODEL": "m", "KG_NEO4J_URI": "bolt://x"}
    try:
        load_settings({**needed, variable: "1"})
    except SettingsError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_corpora_that_pages_show_are_valid(page: Path, tmp_path: Path) -> None:
    for number, block in enumerate(_TOML.findall(page.read_text())):
        path = tmp_path / f"{number}.toml"
        path.write_text(block)
        load_corpora(path)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_python_that_pages_show_compiles(page: Path) -> None:
    for block in _PYTHON.findall(page.read_text()):
        compile(block, str(page), "exec")


def test_the_tables_page_is_what_the_schema_says() -> None:
    render = runpy.run_path(str(ROOT / "scripts" / "data_dictionary.py"))["render"]
    assert (ROOT / "docs" / "reference" / "tables.md").read_text() == render(), (
        "Run scripts/data_dictionary.py."
    )


def test_every_page_is_in_the_navigation() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text())

    def pages(entries: list[dict[str, object]]) -> set[str]:
        found = set()
        for entry in entries:
            for value in entry.values():
                found |= pages(value) if isinstance(value, list) else {str(value)}
        return found

    on_disk = {page.relative_to(ROOT / "docs").as_posix() for page in (ROOT / "docs").rglob("*.md")}
    assert pages(config["nav"]) == on_disk

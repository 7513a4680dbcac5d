"""What the documentation says: its commands run, its links lead somewhere, its tables are those of the schema."""

from __future__ import annotations

import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer
import yaml

from kg_pipeline.corpora import load_corpora
from kg_pipeline.errors import SettingsError
from kg_pipeline.extraction.annotations.files import read_file
from kg_pipeline.extraction.annotations.records import BroughtRelation
from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.predicates import PREDICATES
from tests.pipeline.command import environment, run_kg

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
_TOML = re.compile(r"```toml\n(.*?)```", re.DOTALL)
_PYTHON = re.compile(r"```python\n(.*?)```", re.DOTALL)
_LINK = re.compile(r"\]\((?!https?:|#)([^)#]+)")
_VARIABLE = re.compile(r"\bKG_[A-Z0-9_]*[A-Z0-9]\b")
_COMMAND = re.compile(r"^\s*(?:\$ )?(kg [a-z-]+(?: .*)?)$", re.MULTILINE)
_INLINE = re.compile(r"`(kg [a-z][^`]*)`")


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


def shown() -> list[str]:
    """Every `kg …` line of a block, and every one within a sentence, as somebody would type it."""
    found = set()
    for page in PAGES:
        text = page.read_text()
        blocks = "\n".join(re.findall(r"```.*?```", text, re.DOTALL))
        found.update(_COMMAND.findall(blocks))
        found.update(_INLINE.findall(re.sub(r"```.*?```", "", text, flags=re.DOTALL)))
    # What a reader chooses from, `a|b` and `[A]`, is tried with the first.
    typed = {re.sub(r"\|[\w|-]+", "", re.sub(r"\[(\w+)\]", r"\1", line)) for line in found}
    return sorted(line.partition(" #")[0].strip() for line in typed)


@pytest.mark.parametrize("line", shown())
def test_the_commands_that_pages_only_show_are_understood(line: str) -> None:
    """Parsed as far as one can without doing it: command, options and number of arguments are those there are."""
    from kg_pipeline.cli.app import app

    command, words = typer.main.get_command(app), shlex.split(line)[1:]
    context = typer.Context(command, info_name="kg")
    while isinstance(command, typer.core.TyperGroup) and words:
        name, found, words = command.resolve_command(context, words)
        assert found is not None, name
        command = found
    if words:
        for option in (word for word in words if word.startswith("-")):
            known = {
                name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)
            }
            assert option in known, f"{line}: {option}"
        command.make_context(command.name, list(words), resilient_parsing=True)


@pytest.mark.integration
@pytest.mark.parametrize("page", [page for page in PAGES if 'retrieval.open("demo")' in page.read_text()])
def test_the_python_that_pages_show_of_the_demo_runs(built: Path, page: Path) -> None:
    (block,) = (block for block in _PYTHON.findall(page.read_text()) if 'retrieval.open("demo")' in block)
    result = subprocess.run(
        [sys.executable, "-c", block], env=environment(built), capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "[1]" in result.stdout


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


def test_the_page_about_annotations_names_every_predicate_and_its_example_is_read(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "annotations.md").read_text()
    listed = page.split("The predicates are ", 1)[1].split(".", 1)[0]
    assert re.findall(r"`(\w+)`", listed) == list(PREDICATES)
    example = tmp_path / "curated.tsv"
    example.write_text(page.split("```tsv\n", 1)[1].split("```", 1)[0])
    found = list(read_file(example))
    assert len(found) == 2
    assert all(isinstance(relation, BroughtRelation) for relation in found)


def test_the_settings_page_lists_every_variable() -> None:
    render = runpy.run_path(str(ROOT / "scripts" / "settings_page.py"))["render"]
    assert (ROOT / "docs" / "reference" / "settings.md").read_text() == render(), (
        "Run scripts/settings_page.py."
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

"""Write docs/reference/settings.md from `kg_pipeline.settings`: every variable, its default and meaning."""

from __future__ import annotations

from pathlib import Path

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from kg_pipeline.settings import known_variables

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "settings.md"
_HEAD = """# Settings

Read once from the environment; an empty variable counts as unset. What decides the content of a graph stands in the
corpora file instead ([Make a corpus](../how-to/corpus.md)). A variable that starts with `KG_` and is not here is refused, and
`kg doctor` shows the rest all the same. This page is written by `scripts/settings_page.py`.

| variable | default | meaning |
|---|---|---|
"""
_FOOT = """
`OPENAI_API_KEY` stands in for `KG_LLM_API_KEY`. `KG_RUN` names the run whose budget a process shares, which the pipeline
sets itself. Credentials of an object store, its region and endpoint come from the provider's own variables, such as
`AWS_ACCESS_KEY_ID` and `AWS_ENDPOINT_URL`. `COLUMNS` and `NO_COLOR` decide how tables are printed.
"""


def render() -> str:
    """The page as Markdown."""
    return _HEAD + "\n".join(_row(*known) for known in known_variables()) + "\n" + _FOOT


def _row(variable: str, field: FieldInfo) -> str:
    return f"| `{variable}` | {_default(field)} | {field.description} |"


def _default(field: FieldInfo) -> str:
    value = field.get_default()
    if field.is_required() or value in ("", None) or isinstance(value, SecretStr):
        return ""
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")

"""Write docs/reference/tables.md from `kg_pipeline.schema`: every dataset, every column, its type and meaning."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from kg_pipeline.schema import ARTICLE_STATUSES, DATASETS, LICENSE_CLASSES, RELATION_KINDS

TARGET = Path(__file__).parents[1] / "docs" / "reference" / "tables.md"
_HEAD = """# Tables

The contract between the stages: one Parquet file a corpus and shard below `$KG_HOME/datasets`, and the same tables as
Arrow files in a graph version. Offsets are characters (code points) into `documents.text`, half open. This page is
written by `scripts/data_dictionary.py`.
"""


def render() -> str:
    """The page as Markdown."""
    closed = {
        "ARTICLE_STATUSES": ARTICLE_STATUSES,
        "LICENSE_CLASSES": LICENSE_CLASSES,
        "RELATION_KINDS": RELATION_KINDS,
    }
    sets = "\n".join(
        f"- `{name}`: {', '.join(f'`{value}`' for value in values)}" for name, values in closed.items()
    )
    tables = "\n".join(_table(name, schema) for name, schema in DATASETS.items())
    return f"{_HEAD}\n{sets}\n\n{tables}"


def _table(name: str, schema: pa.Schema) -> str:
    rows = "\n".join(_row(field) for field in schema)
    return f"## {name}\n\n| column | type | meaning |\n|---|---|---|\n{rows}\n"


def _row(field: pa.Field) -> str:
    meaning = (field.metadata or {})[b"meaning"].decode().replace("|", "\\|")
    null = ", or null" if field.nullable else ""
    return f"| `{field.name}` | `{_kind(field.type)}`{null} | {meaning} |"


def _kind(kind: pa.DataType) -> str:
    """Short form: lists in brackets, records by their fields."""
    if pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind):
        return f"[{_kind(kind.value_type)}]"
    if pa.types.is_struct(kind):
        return "{" + ", ".join(kind.field(i).name for i in range(kind.num_fields)) + "}"
    return str(kind)


if __name__ == "__main__":
    TARGET.write_text(render(), encoding="utf-8")

"""A table of relations: tab-separated, UTF-8, a header that names the columns, a relation a line, no quoting.

Needed are `article`, `head`, `predicate` and `tail`. May be there: `quote`, `head_id`, `tail_id` (CURIEs, several parted
by `|`), `head_type`, `tail_type`, `negated`, `speculative` (`true` or `false`), `confidence` (in (0, 1]) and `source`.
Other columns are left aside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from kg_pipeline.errors import MalformedError
from kg_pipeline.extraction.annotations.identifiers import article_of, category_of, curies, distinct
from kg_pipeline.extraction.annotations.records import (
    LONGEST_QUOTE,
    BroughtEntity,
    BroughtRelation,
    Record,
    Unreadable,
    clean,
)

SOURCE = "table"
_NEEDED = ("head", "predicate", "tail")
#: Columns that name the article; one is enough, and they must agree.
_ARTICLE = ("article", "article_id", "pmcid", "pmid", "doi")
_FLAGS = {"": False, "false": False, "no": False, "0": False, "true": True, "yes": True, "1": True}


def looks_like_table(line: str) -> bool:
    """Whether a line is the header of such a table."""
    columns = _columns(line)
    return len(columns) > 1 and ({"head", "tail"} <= set(columns) or "predicate" in columns)


def read_table(lines: Iterable[tuple[str, str | None]]) -> Iterator[Record]:
    """Relations of a table, from the place and the text of each line (None where it cannot be read).

    Raises
    ------
    MalformedError
        If the header lacks a column that is needed.

    """
    coming = iter(lines)
    _, header = next(coming, ("", None))
    columns = _columns(header or "")
    missing = [name for name in _NEEDED if name not in columns]
    if missing or not set(_ARTICLE) & set(columns):
        needed = ", ".join(missing or ["article"])
        raise MalformedError(
            f"its header lacks the column {needed}; needed are article, head, predicate and tail"
        )
    for record, line in coming:
        if line is None:
            yield Unreadable("not_text", record)
        elif line.strip():
            cells = line.split("\t")
            if len(cells) > len(columns):
                yield Unreadable("malformed", record)
            else:
                yield _relation(dict(zip(columns, cells, strict=False)), record)


def _columns(header: str) -> list[str]:
    return [name.strip().casefold().replace(" ", "_") for name in header.split("\t")]


def _relation(row: Mapping[str, str], record: str) -> Record:
    article = article_of(*(_as_reference(name, row.get(name, "")) for name in _ARTICLE))
    if not article:
        return Unreadable("no_article", record)
    ends = [_entity(row, end) for end in ("head", "tail")]
    predicate = clean(row.get("predicate"))
    if not predicate or not all(end.names or end.identifiers for end in ends):
        return Unreadable("malformed", record)
    flags = [_FLAGS.get(clean(row.get(name)).casefold()) for name in ("negated", "speculative")]
    score = _score(clean(row.get("confidence")))
    if flags[0] is None or flags[1] is None or score is None:
        return Unreadable("malformed", record)
    quote = clean(row.get("quote"), LONGEST_QUOTE)
    return BroughtRelation(
        article,
        ends[0],
        ends[1],
        predicate,
        quotes=(quote,) if quote else (),
        is_quoted=bool(quote),
        negated=flags[0],
        speculative=flags[1],
        source=clean(row.get("source"), 60) or SOURCE,
        record=record,
        score=score,
    )


def _as_reference(column: str, cell: str) -> str:
    """The cell of a column that may hold bare numbers, with what makes them of its kind."""
    bare = cell.strip()
    return f"PMC{bare}" if column == "pmcid" and bare.isdecimal() else bare


def _entity(row: Mapping[str, str], end: str) -> BroughtEntity:
    category = category_of(row.get(f"{end}_type"))
    return BroughtEntity(distinct([clean(row.get(end))], 1), curies(row.get(f"{end}_id"), category), category)


def _score(text: str) -> float | None:
    try:
        score = float(text or 1.0)
    except ValueError:
        return None
    return score if 0.0 < score <= 1.0 else None

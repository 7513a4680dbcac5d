"""Relations in PubTator's text format, that of its exports, of BioRED and of BC5CDR, and in PubTator3's table of relations.

An article is a block of lines: `PMID|t|title`, `PMID|a|abstract`, a line for each mention (`PMID, start, end, text,
type, identifiers`, parted by tabs) and one for each relation (`PMID, type, identifier, identifier`). Offsets are those
of title and abstract joined by one character. The table of relations has lines of the last kind only, with the
type before each identifier: `PMID, treat, Chemical|MESH:D001241, Disease|MESH:D006973`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from kg_pipeline.extraction.annotations.annotated_text import (
    AnnotatedMention,
    by_identifier,
    entity_of,
    place,
    stretches,
)
from kg_pipeline.extraction.annotations.identifiers import SEPARATORS, article_of, category_of, curies
from kg_pipeline.extraction.annotations.records import (
    NOT_IN_CORPUS,
    BroughtEntity,
    BroughtRelation,
    Record,
    Unreadable,
    Wanted,
    clean,
    every_article,
)
from kg_pipeline.extraction.grounding.triples import NAMED_THING

SOURCE = "PubTator"
_TEXT = re.compile(r"([A-Za-z0-9.]+)\|([ta])\|(.*)", re.DOTALL)
_TYPED = re.compile(r"([A-Za-z]+)\|(.+)")
_MOST_MENTIONS = 20_000
#: Relations of a block that are held; tables of relations may have any number of one article.
_MOST_RELATIONS = 10_000


@dataclass(slots=True)
class _Article:
    """An article while its lines are read; passages are the title and the abstract."""

    identifier: str
    passages: list[str] = field(default_factory=lambda: ["", ""])
    mentions: list[AnnotatedMention] = field(default_factory=list)
    relations: list[tuple[str, list[str]]] = field(default_factory=list)


def looks_like_pubtator(line: str) -> bool:
    """Whether a line can be the first one of a file in the format."""
    fields = line.split("\t")
    return _TEXT.match(line) is not None or (len(fields) >= 4 and bool(article_of(fields[0])))


def read_pubtator(
    lines: Iterable[tuple[str, str | None]], is_wanted: Wanted = every_article
) -> Iterator[Record]:
    """Relations of a file.

    Parameters
    ----------
    lines
        Place and text of each line; None for the text of one that cannot be read.
    is_wanted
        Whether the corpus has an article.

    """
    article: _Article | None = None
    for record, line in lines:
        if line is None:
            yield Unreadable("not_text", record)
            continue
        if not line.strip():
            yield from _finished(article, is_wanted)
            article = None
            continue
        text = _TEXT.match(line)
        fields = line.split("\t")
        identifier = text.group(1) if text else fields[0].strip()
        if article is None or article.identifier != identifier:
            yield from _finished(article, is_wanted)
            article = _Article(identifier)
        if text is not None:
            article.passages["ta".index(text.group(2))] = text.group(3)
        elif not article_of(identifier):
            yield Unreadable("no_article", record)
        elif len(fields) >= 4 and not fields[1].strip().lstrip("-").isdecimal():
            article.relations.append((record, fields))
            if len(article.relations) >= _MOST_RELATIONS:
                yield from _finished(article, is_wanted)
                article.relations.clear()
        elif len(fields) >= 5 and fields[1].strip().isdecimal() and fields[2].strip().isdecimal():
            if len(article.mentions) < _MOST_MENTIONS:
                article.mentions.append(_mention(article, fields))
        else:
            yield Unreadable("malformed", record)
    yield from _finished(article, is_wanted)


def _mention(article: _Article, fields: list[str]) -> AnnotatedMention:
    start, end, name = int(fields[1][:12]), int(fields[2][:12]), fields[3]
    category = category_of(fields[4])
    raw = fields[5].strip() if len(fields) > 5 else ""
    passage, span = 0, place(article.passages[0], start, end, name)
    if span is None:
        found = place(" ".join(article.passages), start, end, name)
        shift = len(article.passages[0]) + 1
        if found is not None and found[0] >= shift:
            passage, span = 1, (found[0] - shift, found[1] - shift)
    parts = {part.strip() for part in SEPARATORS.split(raw)}
    return AnnotatedMention(
        clean(name),
        category,
        frozenset({raw, *parts} - {"", "-", "-1"}),
        curies(raw, category),
        passage,
        span,
    )


def _finished(article: _Article | None, is_wanted: Wanted) -> Iterator[Record]:
    if article is None:
        return
    reference = article_of(article.identifier)
    if not is_wanted(reference):
        yield from (Unreadable(NOT_IN_CORPUS, record) for record, _ in article.relations)
        return
    mentions = by_identifier(article.mentions)
    for record, fields in article.relations:
        kind, first, second = (clean(each) for each in fields[1:4])
        heads, head = _end(mentions, first)
        tails, tail = _end(mentions, second)
        if not (head.names or head.identifiers) or not (tail.names or tail.identifiers):
            yield Unreadable("unknown_end", record)
            continue
        yield BroughtRelation(
            reference,
            head,
            tail,
            kind,
            quotes=stretches(article.passages, heads, tails),
            source=SOURCE,
            record=record,
        )


def _end(
    mentions: Mapping[str, Sequence[AnnotatedMention]], raw: str
) -> tuple[Sequence[AnnotatedMention], BroughtEntity]:
    """The mentions that an end of a relation refers to, and what is known of it."""
    typed = _TYPED.fullmatch(raw)
    category, bare = NAMED_THING, raw
    if typed is not None and category_of(typed.group(1)) != NAMED_THING:
        category, bare = category_of(typed.group(1)), typed.group(2)
    found = mentions.get(bare) or mentions.get(raw) or []
    if found:
        return found, entity_of(found, curies(bare, found[0].category))
    return [], BroughtEntity((), curies(bare, category), category)

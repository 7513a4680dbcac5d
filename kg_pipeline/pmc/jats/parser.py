"""One JATS/NLM article from its XML: NLM 2.0 to JATS 1.4, as PMC, Europe PMC, publishers and SciELO write it.

`read_articles` cuts a file into articles (a file may be a set of them, or an answer that one is not available);
and looks at what each is; `parse_article` reads one into text, sections, tables and glossary.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lxml import etree

from kg_pipeline.errors import NotJatsError
from kg_pipeline.pmc.identifiers import parse_pmcid
from kg_pipeline.pmc.jats.article import Article, Metadata
from kg_pipeline.pmc.jats.assembly import Place
from kg_pipeline.pmc.jats.blocks import BACK, BlockWalker
from kg_pipeline.pmc.jats.glossary import read_abbreviation_text
from kg_pipeline.pmc.jats.inline import inline_text
from kg_pipeline.pmc.jats.metadata import read_metadata
from kg_pipeline.pmc.jats.references import ReferenceIds
from kg_pipeline.pmc.jats.xml import first_child, parse_xml, parse_xml_without, select, serialise, texts

_SETS = frozenset(
    {
        "pmc-articleset",
        "articleset",
        "article-set",
        "articles",
        "OAI-PMH",
        "GetRecord",
        "ListRecords",
        "record",
    }
)
_ENTRIES = "//article[not(ancestor::article)] | //error | //Reply"
_FIGURE_TYPES = ("display-objects", "figures", "tables", "floats")


@dataclass(frozen=True, slots=True)
class Front:
    """What an article is, without its text."""

    metadata: Metadata
    has_body: bool


@dataclass(frozen=True, slots=True)
class Found:
    """One article of a file: its own XML, and its number in a set (0 where the file is one article)."""

    number: int
    data: bytes
    front: Front


@dataclass(frozen=True, slots=True)
class Missing:
    """An article that a set names as not available."""

    number: int
    pmcid: str
    reason: str


def read_articles(data: bytes) -> list[Found | Missing]:
    """The articles of one file, in order.

    Raises
    ------
    NotJatsError
        If the root is neither an article nor a set of articles.
    MalformedError
        If the file is not well-formed or over a bound.

    """
    root = parse_xml(data)
    if root.tag == "article":
        _check_article(root)
        return [Found(0, data, _read_front(root))]
    if root.tag not in _SETS:
        raise NotJatsError(f"not a JATS article: the root element is <{root.tag}>")
    entries: list[Found | Missing] = []
    for number, element in enumerate(select(root, _ENTRIES), start=1):
        if element.tag == "article":
            entries.append(Found(number, serialise(element), _read_front(element)))
        else:
            pmcid, _ = parse_pmcid(element.get("id") or element.get("Id"))
            reason = inline_text(element) or element.get("error") or element.get("code") or "not available"
            entries.append(Missing(number, pmcid, reason))
    if not entries:
        raise NotJatsError(f"the article set <{root.tag}> holds no article")
    return entries


def parse_article(data: bytes, *, include_appendices: bool = False) -> Article:
    """One article in full.

    Title and main abstract come first, then the body. What is text of the article but no evidence follows: summaries
    beside the abstract (kind `summary`), keywords, footnotes and back matter (kind `back`); appendices have a kind of
    their own if asked for. Sub-articles, responses, translated abstracts and references are other texts and left out.

    Raises
    ------
    NotJatsError
        If the root is not a JATS article.
    MalformedError
        If the bytes are not well-formed or over a bound.

    """
    root, references = parse_xml_without(data, "ref-list")
    _check_article(root)
    metadata = read_metadata(root)
    walker = BlockWalker(ReferenceIds(root, references))
    walker.assembly.add(Place(("Title",), "title"), "title", metadata.title)
    _read_abstracts(root, walker)
    body = first_child(root, "body")
    if body is not None:
        walker.walk(body, Place((), "body"))
    _read_floats(root, walker)
    _read_front_rest(root, walker)
    back = first_child(root, "back")
    if back is not None:
        _read_back(back, walker, include_appendices=include_appendices)
    text, sections, paragraphs = walker.assembly.finish()
    return Article(
        metadata=metadata,
        text=text,
        sections=sections,
        paragraphs=paragraphs,
        glossary=tuple(dict.fromkeys(walker.glossary)),
        tables=tuple(walker.tables),
        formulas=walker.formulas,
        has_body=_has_text(body),
    )


def _read_front(root: etree._Element) -> Front:
    return Front(read_metadata(root), _has_text(first_child(root, "body")))


def _check_article(root: etree._Element) -> None:
    if root.tag != "article":
        raise NotJatsError(f"not a JATS article: the root element is <{root.tag}>")
    if first_child(root, "front") is None and first_child(root, "body") is None:
        raise NotJatsError("not a JATS article: <article> has neither <front> nor <body>")


def _has_text(body: etree._Element | None) -> bool:
    return body is not None and any(text.strip() for text in texts(body))


def _read_abstracts(root: etree._Element, walker: BlockWalker) -> None:
    for abstract in root.iterfind("front/article-meta/abstract"):
        if not abstract.get("abstract-type"):
            walker.walk(abstract, Place(("Abstract",), "abstract"))


def _read_floats(root: etree._Element, walker: BlockWalker) -> None:
    """Figures and tables that the file keeps apart from the text that cites them."""
    groups = [*root.iterchildren("floats-group", "floats-wrap")]
    groups.extend(root.iterfind("back/floats-group"))
    for kind in _FIGURE_TYPES:
        groups.extend(root.iterfind(f"back/sec[@sec-type='{kind}']"))
    for group in groups:
        walker.walk(group, Place((), "body"))


def _read_front_rest(root: etree._Element, walker: BlockWalker) -> None:
    """Summaries beside the main abstract, keywords, and footnotes of the title page."""
    for abstract in root.iterfind("front/article-meta/abstract[@abstract-type]"):
        kind = abstract.get("abstract-type", "")
        if kind:
            path = inline_text(first_child(abstract, "title")) or kind.replace("-", " ").capitalize()
            walker.walk(abstract, Place((path,), "summary"))
    for group in root.iterfind("front/article-meta/kwd-group"):
        title = inline_text(first_child(group, "title"))
        place = Place((title or "Keywords",), BACK)
        is_glossary = "abbr" in f"{title} {group.get('kwd-group-type')}".lower()
        keywords = [text for text in map(inline_text, group.iterchildren("kwd")) if text]
        walker.assembly.add(place, "paragraph", "; ".join(keywords))
        for keyword in keywords if is_glossary else ():
            walker.glossary.extend(read_abbreviation_text(keyword))
    notes = root.iterfind("front/article-meta/author-notes/fn")
    said = (note for note in notes if note.get("fn-type") != "corresp")  # addresses of people are no text
    _read_notes(said, walker, Place(("Footnotes",), BACK))


def _read_back(back: etree._Element, walker: BlockWalker, *, include_appendices: bool) -> None:
    for child in back:
        if child.tag == "fn-group":
            title = inline_text(first_child(child, "title"))
            place = Place((title or "Footnotes",), BACK)
            walker.assembly.add(place, "heading", title)
            _read_notes(child.iterfind("fn"), walker, place)
        elif child.tag in {"app-group", "app"}:
            kind = "appendix" if include_appendices else BACK
            for appendix in child.iter("app"):
                walker.section(appendix, Place(("Appendix",), kind))
        elif child.tag == "floats-group" or (child.tag == "sec" and child.get("sec-type") in _FIGURE_TYPES):
            continue  # read among the floats
        else:
            walker.block(child, Place(("Back matter",), BACK))


def _read_notes(notes: Iterable[etree._Element], walker: BlockWalker, place: Place) -> None:
    for note in notes:
        walker.walk(note, place, "footnote")
        text = inline_text(note)
        if note.get("fn-type") in {"abbr", "abbreviations"} or text.lower().startswith("abbreviations"):
            walker.glossary.extend(read_abbreviation_text(text))

"""Read the body of an answer as what it should be; anything else has the request repeated."""

from __future__ import annotations

import json
import re
from typing import Any

from lxml import etree

from kg_pipeline.errors import ArticleError
from kg_pipeline.pmc.jats.xml import HTML_PAGE, parse_xml
from kg_pipeline.pmc.remote.failures import UnusableAnswer
from kg_pipeline.pmc.remote.http import Answer

_RATE_LIMIT = re.compile(r"rate limit|too many requests", re.IGNORECASE)
_RATE_LIMIT_WAIT = 2.0
_EXCERPT = 120


def read_xml(answer: Answer, roots: frozenset[str]) -> etree._Element:
    """Root element of an XML body, names without namespaces.

    Raises
    ------
    UnusableAnswer
        If the body is empty, HTML, JSON, not well-formed, or has another root.

    """
    content = answer.content
    _refuse_foreign(content)
    try:
        root = parse_xml(content)
    except ArticleError as error:
        raise UnusableAnswer(f"the answer is {error}", is_malformed=True) from None
    if root.tag not in roots:
        raise UnusableAnswer(f"the answer is <{root.tag}>: {excerpt(' '.join(map(str, root.itertext())))}")
    return root


def read_json(answer: Answer) -> dict[str, Any]:
    """Object of a JSON body.

    Raises
    ------
    UnusableAnswer
        If the body is no JSON object, or one that reports an error.

    """
    if HTML_PAGE.match(answer.content):
        raise UnusableAnswer("the answer is an HTML page")
    value = _load(answer.content)
    if not isinstance(value, dict):
        raise UnusableAnswer(f"the answer is no JSON object: {excerpt(_text(answer.content))}")
    _refuse_error(value)
    return value


def excerpt(text: str) -> str:
    """One line of a text, short enough for a message."""
    line = " ".join(text.split())
    return line if len(line) <= _EXCERPT else f"{line[:_EXCERPT]}…"


def _refuse_foreign(content: bytes) -> None:
    """Name what is easily recognised as no XML."""
    if not content.strip():
        raise UnusableAnswer("the answer is empty")
    if HTML_PAGE.match(content):
        raise UnusableAnswer("the answer is an HTML page instead of XML")
    if content.lstrip().startswith(b"{"):
        value = _load(content)
        if isinstance(value, dict):
            _refuse_error(value)
        raise UnusableAnswer(f"the answer is JSON instead of XML: {excerpt(_text(content))}")
    if not content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        raise UnusableAnswer(f"the answer is text instead of XML: {excerpt(_text(content))}")


def _refuse_error(value: dict[str, Any]) -> None:
    for name in ("error", "ERROR"):
        if problem := value.get(name):
            text = excerpt(str(problem))
            raise UnusableAnswer(text, wait=_RATE_LIMIT_WAIT if _RATE_LIMIT.search(text) else 0.0)


def _load(content: bytes) -> object:
    try:
        return json.loads(content)
    except (ValueError, RecursionError):
        return None


def _text(content: bytes) -> str:
    return content[:1000].decode("utf-8", errors="replace")

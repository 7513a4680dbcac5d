"""Which articles count as evidence: retracted ones, notices about others and review correspondence do not.

Nor do those of a licence that the corpus leaves out.

A retraction notice repeats claims that no longer hold, a correction repeats the sentence it corrects, and a
reviewer's report doubts what the paper says: none of them states a fact of its own. A paper *about* retractions is
an ordinary paper, so titles count only by an anchored prefix.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kg_pipeline.rights import RightsPolicy

#: `article-type` (and heading subjects, in lower case) of notices that withdraw an article.
RETRACTION_TYPES = frozenset(
    {"retraction", "retraction-notice", "retraction note", "retraction notice", "withdrawal"}
)
#: `article-type` of an article that has itself been withdrawn.
RETRACTED_TYPES = frozenset({"retracted-article", "retracted article", "retracted", "withdrawn-article"})
#: `article-type` of texts about an article that are no evidence: notices, and what came of peer review.
NOTICE_TYPES = frozenset(
    {
        "correction", "corrected-article", "corrigendum", "erratum", "expression-of-concern", "partial-retraction",
        "decision-letter", "editor-report", "reviewer-report", "referee-report", "ref-report", "review-report",
        "peer-review", "aggregated-review-documents", "author-comment", "community-comment", "reply", "author-response",
    }
)  # fmt: skip
#: `related-article-type` by which a notice names the article it withdraws, and by which that one names its notice.
NAMES_RETRACTED = frozenset({"retracted-article", "retracted", "withdrawn-article"})
NAMES_RETRACTION = frozenset({"retraction-forward", "retraction", "retraction-notice"})
#: Why such a text makes no document.
NOTICE_REASON = "a notice or a review text about an article, not evidence itself"

_RETRACTED_TITLE = re.compile(
    r"\W*(?:retracted|withdrawn)(?:[\s-]+(?:article|paper|chapter))?\s*(?::|\]|\)|[–—]|-\s|\.\s)",
    re.IGNORECASE,
)
_NOTICE_TITLE = re.compile(
    r"\W*(?:(?:notice|statement)\s+of\s+)?(?:retraction|withdrawal)(?:\s+(?:notice|note|statement))?\s*"
    r"(?::|\bto:|\bfor:|\bof:|[–—]\s)",
    re.IGNORECASE,
)


def retraction_reason(
    *, article_type: str, subjects: tuple[str, ...], title: str, relations: tuple[tuple[str, str], ...]
) -> str:
    """Why the article is retracted, or a retraction notice; empty if it is neither.

    `relations` are pairs of related-article-type and the id it names.
    """
    kinds = {article_type.lower(), *(subject.lower() for subject in subjects)}
    named = [identifier for kind, identifier in relations if kind in NAMES_RETRACTED and identifier]
    if kinds & RETRACTION_TYPES or names_retraction(title):
        return f"retraction notice for {', '.join(named) or 'an article it does not name'}"
    if kinds & RETRACTED_TYPES:
        return "the publisher marks it as a retracted article"
    if _RETRACTED_TITLE.match(title):
        return "its title says that it is retracted"
    notices = [identifier for kind, identifier in relations if kind in NAMES_RETRACTION]
    if notices:
        return f"retracted by {notices[0] or 'a notice it does not name'}"
    return ""


def names_retraction(title: str) -> bool:
    """Whether a title is that of a notice that withdraws an article; its text names which."""
    return _NOTICE_TITLE.match(title) is not None


def is_notice(article_type: str) -> bool:
    """Whether a text of this type is about an article and no evidence of its own."""
    return article_type.lower() in NOTICE_TYPES or article_type.lower() in RETRACTION_TYPES


def under_rights(row: Mapping[str, Any], rights: RightsPolicy) -> dict[str, Any]:
    """The row of an article, as `excluded` if it could be read and the corpus leaves its licence class out."""
    license_class = row["license_class"]
    if row["status"] not in {"ok", "no_body"} or rights.level(license_class) != "skip":
        return dict(row)
    reason = f"the corpus leaves out articles of licence class {license_class} (its setting rights)"
    return {**row, "status": "excluded", "reason": reason}

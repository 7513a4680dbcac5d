"""PMCIDs, DOIs and PubMed ids, in the one form by which articles are keyed."""

from __future__ import annotations

import re

_PMCID = re.compile(r"\s*(?:PMC)?\s*0*([1-9]\d{0,11})(?:\.(\d{1,4}))?\s*", re.IGNORECASE)
_DOI = re.compile(r"10\.\d{4,9}/\S+")


def parse_pmcid(text: str | None) -> tuple[str, int | None]:
    """PMCID with its prefix and the version, if named: `pmc0123.2` gives `("PMC123", 2)`; `("", None)` for neither."""
    match = _PMCID.fullmatch(text or "")
    if match is None:
        return "", None
    version = match.group(2)
    return f"PMC{match.group(1)}", int(version) if version else None


def parse_doi(text: str | None) -> str:
    """DOI without resolver or scheme, spelled as given; empty if there is none."""
    match = _DOI.search(text or "")
    return match.group().rstrip(".,;)") if match else ""


def parse_pmid(text: str | None) -> str:
    """PubMed id as digits; empty if it is none."""
    value = (text or "").strip()
    return value if value.isascii() and value.isdigit() else ""

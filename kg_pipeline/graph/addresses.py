"""Where an article can be read: an address made from its id alone, and only from an id of a known form."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import quote

_FORMS: tuple[tuple[re.Pattern[str], Callable[[str], str]], ...] = (
    (re.compile(r"(PMC\d{1,12})"), "https://pmc.ncbi.nlm.nih.gov/articles/{}/".format),
    (re.compile(r"PMID:(\d{1,12})"), "https://pubmed.ncbi.nlm.nih.gov/{}/".format),
    (re.compile(r"DOI:(10\.\d{4,9}/\S{1,200})"), lambda doi: f"https://doi.org/{quote(doi, safe='/')}"),
    (re.compile(r"(NCT\d{8})"), "https://clinicaltrials.gov/study/{}".format),
    (re.compile(r"([A-Z]{3}/[A-Za-z0-9]{1,20})"), "https://europepmc.org/article/{}".format),
)
#: Ids of the packaged sample articles, which were written for it; PMC has no such pages.
_SAMPLE = re.compile(r"PMC999000\d\d")


def is_sample(article_id: str) -> bool:
    """Whether an id is that of a packaged sample article."""
    return _SAMPLE.fullmatch(article_id) is not None


def article_address(article_id: str) -> str:
    """The address of an article's page; empty for an id that names no public page, as that of a local file or a sample."""
    if is_sample(article_id):
        return ""
    for form, address in _FORMS:
        found = form.fullmatch(article_id)
        if found:
            return address(found.group(1))
    return ""

"""Licence of an article and what it allows, from its own permissions element.

Classes: `redistributable` (CC0, public domain, CC BY, CC BY-SA and older texts that grant the same),
`non_commercial` (CC BY-NC and its kin), `mining_only` (no derivatives, text and data mining, author manuscripts),
`unknown` (nothing that can be read by a machine).
"""

from __future__ import annotations

import re

from lxml import etree

from kg_pipeline.pmc.jats.characters import tidy
from kg_pipeline.pmc.jats.xml import all_text, local_name

_HREF = "{http://www.w3.org/1999/xlink}href"
_CC_URL = re.compile(r"creativecommons\.org/+(licenses/([a-z+-]+)|publicdomain/(zero|mark))", re.IGNORECASE)
_CC_NAME = re.compile(r"\bCC[ -]?(0|BY(?:[ -](?:NC|ND|SA))*)\b", re.IGNORECASE)
_NON_COMMERCIAL = re.compile(r"non-?\s?commercial", re.IGNORECASE)
_NO_DERIVATIVES = re.compile(r"no[\s-]?deriv", re.IGNORECASE)
_PUBLIC_DOMAIN = re.compile(r"public domain|\bCC0\b|work of the U\.?S\.? government", re.IGNORECASE)
_ATTRIBUTION = re.compile(r"creative commons attribution", re.IGNORECASE)
_OPEN_TEXT = re.compile(
    r"permits unrestricted use, distribution|verbatim copying and redistribution of this article are permitted"
    r"|PLoS Open-Access License",
    re.IGNORECASE,
)
_MINING = re.compile(r"text[- ](?:and[- ])?(?:data[- ])?mining|\bTDM\b|author manuscript", re.IGNORECASE)


def read_license(permissions: list[etree._Element], flags: dict[str, str]) -> tuple[str, str]:
    """Licence as stated (URL, else text) and its class; `flags` are PMC's own properties of the article."""
    addresses: list[str] = []
    texts: list[str] = []
    for holder in permissions:
        for element in holder.iter(
            "license", "{*}license_ref", "ext-link", "uri", "license-p", "p", "copyright-statement"
        ):
            if href := element.get(_HREF):
                addresses.append(href.strip())
            if local_name(element) == "license_ref":
                addresses.append(tidy(all_text(element)))
        texts.append(tidy(" ".join(map(str, holder.itertext()))))
        texts.extend(
            str(element.get("license-type"))
            for element in holder.iter("license")
            if element.get("license-type")
        )
    if flag := flags.get("pmc-license-ref"):
        addresses.append(flag)
    stated = next((address for address in addresses if _CC_URL.search(address)), "")
    text = " ".join(texts)
    if not stated:
        in_text = _CC_URL.search(text)
        stated = f"https://{in_text.group()}" if in_text else next(iter(addresses), "")
    is_manuscript = flags.get("pmc-prop-manuscript", "").lower() == "yes"
    return stated or _first_sentence(text), classify_license(stated, text, is_manuscript=is_manuscript)


def classify_license(address: str, text: str = "", *, is_manuscript: bool = False) -> str:
    """Class of a licence from its address, else from its wording."""
    url = _CC_URL.search(address)
    if url:
        return _class_of_terms(url.group(2) or "0")
    name = _CC_NAME.search(f"{address} {text}")
    if name and not _NON_COMMERCIAL.search(text):
        return _class_of_terms(name.group(1).replace(" ", "-"))
    if _NON_COMMERCIAL.search(text):
        return "non_commercial"
    if _NO_DERIVATIVES.search(text):
        return "mining_only"
    if _PUBLIC_DOMAIN.search(text) or _ATTRIBUTION.search(text) or _OPEN_TEXT.search(text):
        return "redistributable"
    return "mining_only" if is_manuscript or _MINING.search(f"{address} {text}") else "unknown"


def _class_of_terms(terms: str) -> str:
    parts = set(terms.lower().replace("+", "-").split("-"))
    if "nc" in parts:
        return "non_commercial"
    return "mining_only" if "nd" in parts else "redistributable"


def _first_sentence(text: str) -> str:
    return text[:200].rsplit(" ", 1)[0] if len(text) > 200 else text

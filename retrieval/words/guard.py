"""Text of articles is data: sentences that talk to a reader or a model instead of reporting something are not quoted."""

from __future__ import annotations

import re

_ADDRESS = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b[^.]{0,40}\b(?:instruction|prompt|rule|guideline|context|question|above|previous)"
    r"|\byou\s+are\s+(?:now\s+)?(?:an?\s+)?(?:helpful\s+)?(?:ai|assistant|language\s+model|chatbot|system)\b"
    r"|\b(?:system|developer)\s+prompt\b"
    r"|\b(?:answer|reply|respond|output|print|say)\b[^.]{0,30}\b(?:instead|only\s+with|exactly|the\s+following)\b"
    r"|\bas\s+an?\s+(?:ai|language\s+model)\b"
    r"|<\s*/?\s*(?:system|assistant|user|evidence|instructions?)\b",
    re.IGNORECASE,
)


def addresses_reader(text: str) -> bool:
    """Whether a sentence gives instructions to whoever reads it."""
    return _ADDRESS.search(text) is not None

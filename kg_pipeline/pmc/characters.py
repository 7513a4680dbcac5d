"""Characters as the documents hold them: NFC, one kind of space, no invisible characters."""

from __future__ import annotations

import re
import unicodedata

#: Removed: soft hyphen, zero-width space, joiners and marks of direction, word joiner, byte order mark.
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
#: Hyphen and non-breaking hyphen look like the plain one and are written for it.
_SPECIAL = re.compile(f"[{_INVISIBLE}\u2010\u2011]")
_TABLE: dict[int, str | None] = {**dict.fromkeys(map(ord, _INVISIBLE)), 0x2010: "-", 0x2011: "-"}


def tidy(text: str) -> str:
    """Text in NFC with runs of any white space (no-break, thin, … newline) as one plain space, ends stripped.

    Compatibility forms stay as they are: NFKC would turn 10⁶ into 106.
    """
    if not text.isascii():
        if _SPECIAL.search(text):
            text = text.translate(_TABLE)
        if not unicodedata.is_normalized("NFC", text):
            text = unicodedata.normalize("NFC", text)
    return " ".join(text.split())

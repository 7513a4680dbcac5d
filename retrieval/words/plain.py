"""Text of articles on its way to a terminal or a program: characters that command a terminal or turn text around.

An article cannot hold most control characters, since XML forbids them, but it can hold the one-byte form of "escape ["
(U+009B) and the bidirectional overrides, and an imported graph or a web record can hold anything.
"""

from __future__ import annotations

import re

_COMMANDS = "\x00-\x08\x0b-\x1f\x7f-\x9f"
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
_SEPARATORS = "\u2028\u2029"
_SURROGATES = "\ud800-\udfff"  # bytes that are no UTF-8, as the command line hands them over
_HARMFUL = re.compile(f"[{_COMMANDS}{_DIRECTIONS}{_SEPARATORS}{_SURROGATES}]")
_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


def plain(text: str) -> str:
    """The text with each harmful character shown as a replacement character; tabs and line feeds stay."""
    return _HARMFUL.sub(_REPLACEMENT, text)


def plain_line(text: str) -> str:
    """`plain` on one line: white space is one blank."""
    return plain(" ".join(text.split()))


def plain_json(text: str) -> str:
    """JSON that shows no harmful character raw; its strings keep every character, as an escape."""
    return _HARMFUL.sub(lambda found: f"\\u{ord(found.group()):04x}", text)

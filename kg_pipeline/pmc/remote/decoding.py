"""Decode a compressed answer piece by piece, so that nothing is ever larger in memory than one piece.

A client that decodes whatever a server names can be filled by a few kilobytes: some codings pack a thousand to one,
and can be stacked. So only gzip is asked for, once, and only zlib's deflate is read besides; anything else is no
usable answer.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

#: What is asked for in a request; servers disagree on what deflate is.
ACCEPTED = "gzip"
#: Largest piece that is given out, in bytes.
PIECE = 1 << 20

_PLAIN = frozenset({"", "identity"})
# 32 lets zlib tell the heads of gzip and zlib apart.
_WINDOW = {"gzip": zlib.MAX_WBITS | 32, "x-gzip": zlib.MAX_WBITS | 32, "deflate": zlib.MAX_WBITS | 32}


class UndecodableError(ValueError):
    """The body is not what its Content-Encoding says, or in a coding that is not read."""


def decoded(parts: Iterable[bytes], coding: str) -> Iterator[bytes]:
    """The body in pieces of at most `PIECE` bytes.

    Parameters
    ----------
    parts
        The body as it came.
    coding
        The Content-Encoding header, empty for none.

    Raises
    ------
    UndecodableError
        If the coding is another one, or the body is damaged or ends early.

    """
    name = coding.strip().lower()
    if name in _PLAIN:
        yield from parts
        return
    if name not in _WINDOW:
        raise UndecodableError(f"the answer is encoded as {name[:40]!r}, which was not asked for")
    unpack = zlib.decompressobj(_WINDOW[name])
    came = False
    try:
        for part in parts:
            came = came or bool(part)
            while part:
                if unpack.eof:  # gzip allows several one after the other
                    unpack = zlib.decompressobj(_WINDOW[name])
                if piece := unpack.decompress(part, PIECE):
                    yield piece
                part = unpack.unconsumed_tail or unpack.unused_data
    except zlib.error as error:
        raise UndecodableError(f"the answer cannot be unpacked ({error})") from None
    if came and not unpack.eof:
        raise UndecodableError("the compressed answer ends early")

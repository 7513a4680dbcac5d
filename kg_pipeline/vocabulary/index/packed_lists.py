"""Ascending lists of numbers in as few bytes as they need: differences, seven bits a byte (LEB128, as in search engines).

Two bytes take the place of three where a list has a number for every 16,000 names or more, as the lists that are long
have. Packing and unpacking work on whole arrays.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_BITS = 7
_MORE = 1 << _BITS
#: A number has at most as many bytes: differences are below 2^28.
_MOST_BYTES = 4


class Packed(NamedTuple):
    """Lists as bytes, one behind the other, and how many bytes each takes."""

    content: NDArray[np.uint8]
    sizes: NDArray[np.int64]


def pack(numbers: NDArray[np.uint32], lengths: NDArray[np.int64]) -> Packed:
    """Pack lists that stand one behind the other in `numbers`, each ascending, below 2^28, and of the given length."""
    firsts = np.cumsum(lengths) - lengths
    steps = np.diff(numbers, prepend=np.uint32(0))
    filled = lengths > 0
    steps[firsts[filled]] = numbers[firsts[filled]]
    needed = np.ones(len(steps), dtype=np.int64)
    for more in range(1, _MOST_BYTES):
        needed += steps >= 1 << _BITS * more
    ends = np.cumsum(needed)
    content = np.empty(int(ends[-1]) if len(ends) else 0, dtype=np.uint8)
    for byte in range(_MOST_BYTES):
        has = needed > byte
        part = (steps[has] >> np.uint32(_BITS * byte)) & np.uint32(_MORE - 1)
        goes_on = needed[has] > byte + 1
        content[ends[has] - needed[has] + byte] = part | np.where(goes_on, _MORE, 0).astype(np.uint32)
    total = np.concatenate([np.zeros(1, dtype=np.int64), ends])
    return Packed(content, total[firsts + lengths] - total[firsts])


def unpack(content: NDArray[np.uint8]) -> NDArray[np.uint32]:
    """The numbers of one list."""
    if not len(content):
        return np.empty(0, dtype=np.uint32)
    is_last = content < _MORE
    starts = np.flatnonzero(np.concatenate([[True], is_last[:-1]]))
    lengths = np.diff(starts, append=len(content))
    place = np.arange(len(content)) - np.repeat(starts, lengths)
    parts = (content & np.uint8(_MORE - 1)).astype(np.uint32) << (_BITS * place).astype(np.uint32)
    numbers: NDArray[np.uint32] = np.cumsum(np.add.reduceat(parts, starts), dtype=np.uint32)
    return numbers

"""The look-up keys of names in a trie, and the places of the names that have each key.

marisa-trie numbers its keys; an array has one entry a key: the place of its only name, or where in a second array the
names of a key with several stand. That takes a third of what records inside of the trie take, whose bytes share nothing.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from pathlib import Path

import marisa_trie
import numpy as np
from numpy.typing import NDArray

KEYS_FILE, ENTRIES_FILE, SEVERAL_FILE = "keys.marisa", "key_entries.npy", "key_several.npy"
#: An entry is twice the place of a name, and one more if the key is a derived form (singular, joined hyphen). With this
#: bit it is an index of the second array instead, where the number of entries stands before them.
_SEVERAL = np.uint32(2**31)
_SLICE = 50_000
_SPOOL = "keys.tmp"


def write_name_keys(entries: Iterable[tuple[str, int, bool]], folder: Path) -> None:
    """Write keys, each with the place of a name and whether it is a derived form of it; a key may come often."""
    codes = array("I")
    spool = folder / _SPOOL
    with spool.open("w", encoding="utf-8", newline="\n") as file:

        def spooled() -> Iterator[str]:
            for key, place, derived in entries:
                key = key.replace("\n", " ")
                file.write(f"{key}\n")
                codes.append(2 * place + derived)
                yield key

        trie = marisa_trie.Trie(spooled())
    trie.save(str(folder / KEYS_FILE))
    with spool.open(encoding="utf-8", newline="\n") as file:
        numbers = np.fromiter((trie[line[:-1]] for line in file), dtype=np.uint32, count=len(codes))
    spool.unlink()
    first, several = _by_key(numbers, np.frombuffer(codes, dtype=np.uint32), len(trie))
    np.save(folder / ENTRIES_FILE, first)
    np.save(folder / SEVERAL_FILE, several)


def _by_key(
    numbers: NDArray[np.uint32], codes: NDArray[np.uint32], keys: int
) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """The two arrays; among the entries of one key those that are no derived forms come first."""
    order = np.lexsort((codes, codes & 1, numbers))
    numbers, codes = numbers[order], codes[order]
    sizes = np.bincount(numbers, minlength=keys)
    starts = np.cumsum(sizes) - sizes
    first = codes[starts] if keys else np.empty(0, dtype=np.uint32)
    has_several = sizes > 1
    lists = np.cumsum((sizes + 1) * has_several) - (sizes + 1) * has_several
    several = np.zeros(
        max(int(((sizes + 1) * has_several).sum()), 1), dtype=np.uint32
    )  # an empty file cannot be mapped
    several[lists[has_several]] = sizes[has_several]
    of_several = has_several[numbers]
    within = np.arange(len(numbers)) - starts[numbers]
    several[(lists[numbers] + 1 + within)[of_several]] = codes[of_several]
    first[has_several] = lists[has_several].astype(np.uint32) | _SEVERAL
    return first, several


class NameKeys:
    """The keys and places of an opened vocabulary; all files are mapped, not held."""

    def __init__(self, folder: Path) -> None:
        self._trie = marisa_trie.Trie().mmap(str(folder / KEYS_FILE))
        self._entries: NDArray[np.uint32] = np.load(folder / ENTRIES_FILE, mmap_mode="r")
        self._several: NDArray[np.uint32] = np.load(folder / SEVERAL_FILE, mmap_mode="r")

    def __contains__(self, key: str) -> bool:
        return key in self._trie

    def iterkeys(self, beginning: str) -> Iterator[str]:
        """Keys that begin so."""
        found: Iterator[str] = self._trie.iterkeys(beginning)
        return found

    def key(self, number: int) -> str:
        """The key of a number."""
        return str(self._trie.restore_key(number))

    def places(self, key: str) -> list[tuple[int, bool]]:
        """Places of the names that have the key, and whether it is a derived form of each."""
        number = self._trie.get(key)
        return [] if number is None else self._places(number)

    def written(self, number: int) -> list[int]:
        """Places of the names that have the key of that number, those of which it is a derived form left out."""
        return [place for place, derived in self._places(number) if not derived]

    def slices(self) -> Iterator[list[str]]:
        """All keys in order of their numbers, a slice at a time; an empty one for those that are derived forms only."""
        for start in range(0, len(self._entries), _SLICE):
            codes = np.array(self._entries[start : start + _SLICE])
            has_several = codes >= _SEVERAL
            codes[has_several] = self._several[(codes[has_several] ^ _SEVERAL) + 1]
            yield [
                "" if code & 1 else self._trie.restore_key(number)
                for number, code in enumerate(codes.tolist(), start)
            ]

    def _places(self, number: int) -> list[tuple[int, bool]]:
        code = int(self._entries[number])
        if code < _SEVERAL:
            return [(code >> 1, bool(code & 1))]
        at = code ^ int(_SEVERAL)
        listed = self._several[at + 1 : at + 1 + int(self._several[at])]
        return [(one >> 1, bool(one & 1)) for one in listed.tolist()]

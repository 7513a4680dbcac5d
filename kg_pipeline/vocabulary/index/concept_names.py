"""Names of concepts as they are written, in a trie: one number a name, which the trie turns back into the name.

Names of a vocabulary share their beginnings and their ends, so a trie of them takes a fifth of what the names take in a
row (marisa-trie: recursive LOUDS with Patricia labels; Yata, 2011). Each concept has a list of numbers, the preferred name
first; the numbers of all lists one behind the other are the places of the names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any

import marisa_trie
import numpy as np
import pyarrow as pa

WRITTEN_FILE = "written.marisa"
#: Concepts whose names are held as Python objects at a time.
SLICE = 50_000


def name_lists(names: pa.ListArray) -> Iterator[list[list[str]]]:
    """The names of concepts, a slice of concepts at a time, so that millions are not held as Python objects."""
    for start in range(0, len(names), SLICE):
        yield names.slice(start, SLICE).to_pylist()


def number_names(names: pa.ListArray, folder: Path) -> pa.ListArray:
    """Write the trie of all names into a folder; the lists with the numbers of the names in their place."""
    trie = marisa_trie.Trie(_each(names))
    trie.save(str(folder / WRITTEN_FILE))
    numbers = np.fromiter((trie[name] for name in _each(names)), dtype=np.uint32, count=len(names.values))
    return pa.ListArray.from_arrays(names.offsets, pa.array(numbers))


def _each(names: pa.ListArray) -> Iterable[str]:
    return chain.from_iterable(chain.from_iterable(slice_) for slice_ in name_lists(names))


class ConceptNames:
    """Names of concepts by row and position, or by place; both files are mapped, not held.

    Parameters
    ----------
    folder
        The vocabulary folder.
    numbers
        What `number_names` gave for it.

    """

    def __init__(self, folder: Path, numbers: Any) -> None:
        self._trie = marisa_trie.Trie().mmap(str(folder / WRITTEN_FILE))
        self._starts = numbers.offsets.to_numpy()
        self._numbers = numbers.values.to_numpy()

    def of(self, row: int) -> tuple[str, ...]:
        """All names of a concept, the preferred one first."""
        return tuple(self.at(place) for place in range(self._starts[row], self._starts[row + 1]))

    def preferred(self, row: int) -> str:
        """The first name of a concept."""
        return self.at(int(self._starts[row]))

    def row_and_position(self, place: int) -> tuple[int, int]:
        """The concept whose name stands at a place among all names, and the position of that name in it."""
        starts = self._starts  # a number of another type would make NumPy copy them all
        row = int(starts.searchsorted(starts.dtype.type(place), side="right")) - 1
        return row, place - int(self._starts[row])

    def at(self, place: int) -> str:
        """The name at a place among all names."""
        return str(self._trie.restore_key(int(self._numbers[place])))

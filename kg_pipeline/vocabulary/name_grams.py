"""Names that look like a name: cosine of character trigrams weighted by TF-IDF, over millions of names, memory-mapped.

Candidates come from an inverted index, never from comparing all pairs, and the index holds the rarest trigrams of a name
only: two vectors of length one whose cosine is at least t share a trigram among those that come before the rest of the
vector is shorter than t (prefix filtering; Bayardo, Ma and Srikant, WWW 2007). So a name costs about six numbers of three
bytes instead of twenty-five, and a question reads the shortest lists.

Trigrams are hashed into `BUCKETS` buckets, as in a hashing vectoriser; a collision can only make two names look more
alike. What is found looks alike and no more: IL-1 looks like IL-10, so callers ask the guards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

WEIGHTS_FILE, RANKS_FILE, OFFSETS_FILE, NUMBERS_FILE = (
    f"gram_{part}.npy" for part in ("weights", "ranks", "offsets", "numbers")
)
_BITS = 18
BUCKETS = 2**_BITS
#: The least cosine that the index can be asked for; the greater it is, the fewer trigrams a name needs.
LEAST = 0.75
#: Bytes of a name's number, the lowest first: 16.7 million names.
_NUMBER_BYTES = 3
MOST_NAMES = 2 ** (8 * _NUMBER_BYTES)
#: Bounds of one question: numbers read from the lists, and names compared in full.
MAX_READ, MAX_COMPARED = 200_000, 48
#: Names, or pairs of a trigram and a name, that are worked on at a time.
_CHUNK_NAMES, _CHUNK_PAIRS = 50_000, 2_000_000
_BORDER = "\n"
_PAIR = np.dtype([("bucket", np.uint32), ("name", np.uint32)])


class Similar(NamedTuple):
    """A name by its number in the index, and its cosine with the name that was asked for."""

    number: int
    cosine: float


class Grams(NamedTuple):
    """Distinct trigrams of names, ordered by name: `buckets[i]` is one of the name `rows[i]`."""

    rows: NDArray[np.int64]
    buckets: NDArray[np.int64]


class Order(NamedTuple):
    """The weight of each bucket, the rank of each (the rarest first), and the bucket of each rank."""

    weights: NDArray[np.float32]
    ranks: NDArray[np.uint32]
    buckets: NDArray[np.int64]


def grams_of(keys: Sequence[str]) -> Grams:
    """Distinct hashed trigrams of look-up keys, each padded with a space on both sides; an empty key has none."""
    if not keys:
        return Grams(*_NOTHING)
    text = f" {f' {_BORDER} '.join(keys)} {_BORDER}"
    if text.count(_BORDER) > len(keys):
        text = f" {f' {_BORDER} '.join(key.replace(_BORDER, ' ') for key in keys)} {_BORDER}"
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), dtype=np.uint32)
    is_border = codes == ord(_BORDER)
    rows = np.cumsum(is_border)[:-2]
    whole = ~(is_border[:-2] | is_border[1:-1] | is_border[2:])
    mixed = (codes[:-2] * np.uint32(2_654_435_769) + codes[1:-1]) * np.uint32(2_246_822_519) + codes[2:]
    # The high bits of a product with 2^32 over the golden ratio (Knuth, The Art of Computer Programming 3, 6.4).
    buckets = (mixed * np.uint32(2_654_435_769)) >> np.uint32(32 - _BITS)
    distinct = np.unique((rows[whole] << _BITS) | buckets[whole])
    return Grams(distinct >> _BITS, distinct & (BUCKETS - 1))


_NOTHING = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))


def prefix_of(grams: Grams, order: Order, least: float) -> Grams:
    """Of each name its rarest trigrams, rarest first, until what is left of its vector is shorter than `least`."""
    ranked = np.sort((grams.rows << _BITS) | order.ranks[grams.buckets])
    rows, buckets = ranked >> _BITS, order.buckets[ranked & (BUCKETS - 1)]
    squares = order.weights[buckets].astype(np.float64) ** 2
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    first = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else rows
    length = np.diff(np.r_[first, len(rows)])
    whole = np.repeat(sums[first + length] - sums[first], length)
    spent = sums[:-1] - np.repeat(sums[first], length)
    kept = whole - spent >= least**2 * whole
    return Grams(rows[kept], buckets[kept])


class NameGramsBuilder:
    """Writes an index of names that are added a slice at a time; holds a slice and a few numbers a bucket.

    Keys are spooled to a file beside the index and read again once all trigrams are counted.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._spool = folder / "gram_keys.tmp"
        self._file = self._spool.open("wb")
        self._slices: list[tuple[int, int]] = []  # bytes of the spool, names
        self._counts = np.zeros(BUCKETS, dtype=np.int64)

    def close(self) -> None:
        """Let go of the spool; a file that is open keeps its place on a full disk, even when it is removed."""
        self._file.close()

    def add(self, keys: Sequence[str]) -> None:
        """Add names by their look-up keys; they are numbered in the order they come, and found up to `MOST_NAMES`."""
        for start in range(0, len(keys), _CHUNK_NAMES):
            chunk = [key.replace(_BORDER, " ") for key in keys[start : start + _CHUNK_NAMES]]
            block = _BORDER.join(chunk).encode("utf-8", "replace")
            self._file.write(block)
            self._slices.append((len(block), len(chunk)))
            self._counts += np.bincount(grams_of(chunk).buckets, minlength=BUCKETS)

    def finish(self) -> None:
        """Write the index and remove what was spooled."""
        self.close()
        total = sum(names for _, names in self._slices)
        weights = np.log((1 + total) / (1 + self._counts)).astype(np.float32) + np.float32(1)
        buckets = np.argsort(-weights, kind="stable")
        ranks = np.empty(BUCKETS, dtype=np.uint32)
        ranks[buckets] = np.arange(BUCKETS, dtype=np.uint32)
        pairs, sizes = self._folder / "gram_pairs.tmp", np.zeros(BUCKETS, dtype=np.int64)
        with pairs.open("wb") as file:
            for prefix in self._prefixes(Order(weights, ranks, buckets)):
                sizes += np.bincount(prefix["bucket"], minlength=BUCKETS)
                prefix.tofile(file)
        offsets = np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(sizes)])
        for name, array in ((WEIGHTS_FILE, weights), (RANKS_FILE, ranks), (OFFSETS_FILE, offsets)):
            np.save(self._folder / name, array)
        _invert(pairs, offsets, self._folder / NUMBERS_FILE)
        pairs.unlink()
        self._spool.unlink()

    def _prefixes(self, order: Order) -> Iterator[NDArray[Any]]:
        first = 0
        with self._spool.open("rb") as file:
            for size, names in self._slices:
                keys = file.read(size).decode("utf-8").split(_BORDER)[: max(MOST_NAMES - first, 0)]
                kept = prefix_of(grams_of(keys), order, LEAST)
                prefix = np.empty(len(kept.rows), dtype=_PAIR)
                prefix["bucket"], prefix["name"] = kept.buckets, kept.rows + first
                yield prefix
                first += names


def _invert(pairs: Path, offsets: NDArray[np.int64], target: Path) -> None:
    """Names by bucket instead of buckets by name, in a file that is mapped, not held."""
    free = offsets[:-1].copy()
    shape = (max(int(offsets[-1]), 1), _NUMBER_BYTES)  # an empty file cannot be mapped
    open_mapped: Any = np.lib.format.open_memmap  # NumPy leaves it without types
    numbers = open_mapped(target, mode="w+", dtype=np.uint8, shape=shape)
    with pairs.open("rb") as file:
        while len(block := np.fromfile(file, dtype=_PAIR, count=_CHUNK_PAIRS)):
            order = np.argsort(block["bucket"], kind="stable")
            buckets = block["bucket"][order]
            starts = np.searchsorted(buckets, buckets, side="left")
            names = block["name"][order].astype("<u4").view(np.uint8).reshape(-1, 4)
            numbers[free[buckets] + np.arange(len(buckets)) - starts] = names[:, :_NUMBER_BYTES]
            free += np.bincount(buckets, minlength=BUCKETS)
    numbers.flush()


def _decoded(numbers: NDArray[np.uint8]) -> NDArray[np.uint32]:
    whole = np.zeros((len(numbers), 4), dtype=np.uint8)
    whole[:, :_NUMBER_BYTES] = numbers
    return whole.view("<u4").reshape(-1)


class NameGrams:
    """An opened index; `name_key` gives the look-up key of a name by its number."""

    def __init__(self, folder: Path, name_key: Callable[[int], str]) -> None:
        weights, ranks, self._offsets, self._numbers = (
            np.load(folder / name, mmap_mode="r")
            for name in (WEIGHTS_FILE, RANKS_FILE, OFFSETS_FILE, NUMBERS_FILE)
        )
        buckets = np.empty(BUCKETS, dtype=np.int64)
        buckets[ranks] = np.arange(BUCKETS)
        self._order = Order(weights, ranks, buckets)
        self._name_key = name_key

    def similar(self, key: str, least: float = LEAST) -> list[Similar]:
        """Names whose cosine with a look-up key is at least `least`, best first, equal ones by number.

        At most `MAX_READ` entries of the lists are read, those of the rarest trigrams first, and the `MAX_COMPARED` names
        that share most of them are compared.

        Raises
        ------
        ValueError
            If `least` is below what the index was made for.

        """
        if least < LEAST:
            raise ValueError(f"the index finds names from a cosine of {LEAST} on, not {least}")
        grams = grams_of([key])
        numbers = self._sharing(grams, least)
        if not len(numbers):
            return []
        cosines = self._cosines(grams, [self._name_key(int(number)) for number in numbers])
        found = [
            Similar(int(number), round(float(cosine), 4))
            for number, cosine in zip(numbers, cosines, strict=True)
            if cosine >= least
        ]
        return sorted(found, key=lambda one: (-one.cosine, one.number))

    def _sharing(self, grams: Grams, least: float) -> NDArray[np.int64]:
        """Numbers of the names that share rare trigrams, those that share most first."""
        lists, shares, left = [], [], MAX_READ
        for bucket in prefix_of(grams, self._order, least).buckets:
            start, end = int(self._offsets[bucket]), int(self._offsets[bucket + 1])
            if end - start > left:
                break
            left -= end - start
            lists.append(_decoded(self._numbers[start:end]))
            shares.append(np.full(end - start, float(self._order.weights[bucket]) ** 2))
        if not lists:
            return np.empty(0, dtype=np.int64)
        numbers, where = np.unique(np.concatenate(lists), return_inverse=True)
        shared = np.bincount(where, weights=np.concatenate(shares))
        best: NDArray[np.int64] = numbers[np.lexsort((numbers, -shared))[:MAX_COMPARED]].astype(np.int64)
        return best

    def _cosines(self, grams: Grams, others: Sequence[str]) -> NDArray[np.float64]:
        theirs = grams_of(others)
        weights = self._order.weights
        squares = weights[theirs.buckets].astype(np.float64) ** 2
        is_shared = np.isin(theirs.buckets, grams.buckets)
        lengths = np.sqrt(np.bincount(theirs.rows, weights=squares, minlength=len(others)))
        shared = np.bincount(theirs.rows, weights=squares * is_shared, minlength=len(others))
        own = np.sqrt((weights[grams.buckets].astype(np.float64) ** 2).sum())
        cosines: NDArray[np.float64] = shared / np.maximum(lengths * own, np.finfo(np.float64).tiny)
        return cosines

"""Names that look like a name: cosine of character trigrams weighted by TF-IDF, over millions of names.

Candidates come from an inverted index, never from comparing all pairs, and the index holds the rarest trigrams of a name
only: two vectors of length one whose cosine is at least t share a trigram among those that come before the rest of the
vector is shorter than t (prefix filtering; Bayardo, Ma and Srikant, WWW 2007). So a name costs six to nine numbers of two
bytes instead of twenty to thirty-five, and a question reads the shortest lists.

Trigrams are hashed into `BUCKETS` buckets, as in a hashing vectoriser; a collision can only make two names look more
alike. What is found looks alike and no more: IL-1 looks like IL-10, so callers ask the guards.
"""

from __future__ import annotations

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kg_pipeline.vocabulary.index.packed_lists import pack, unpack

WEIGHTS_FILE, RANKS_FILE, OFFSETS_FILE, SIZES_FILE = (
    f"gram_{part}.npy" for part in ("weights", "ranks", "offsets", "sizes")
)
NUMBERS_FILE = "gram_numbers.bin"
_BITS = 18
BUCKETS = 2**_BITS
#: The least cosine that the index can be asked for; the greater it is, the fewer trigrams a name needs.
LEAST = 0.75
MOST_NAMES = 2**28
#: Bounds of one question: numbers read from the lists, and names compared in full.
MAX_READ, MAX_COMPARED = 200_000, 48
#: Pairs of a trigram and a name that are worked on at a time.
_CHUNK_PAIRS = 2_000_000
#: Buckets whose lists are packed at a time.
_CHUNK_BUCKETS = 4_096
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


def write_name_grams(names: Callable[[], Iterable[Sequence[str]]], folder: Path) -> None:
    """Write an index of names, given as look-up keys in slices; holds a slice and a few numbers a bucket.

    They are asked for twice, to count trigrams and to choose from them; numbered in the order they come, and found up to
    `MOST_NAMES`.
    """
    counts, total = np.zeros(BUCKETS, dtype=np.int64), 0
    for keys in names():
        counts += np.bincount(grams_of(keys).buckets, minlength=BUCKETS)
        total += len(keys)
    weights = np.log((1 + total) / (1 + counts)).astype(np.float32) + np.float32(1)
    buckets = np.argsort(-weights, kind="stable")
    ranks = np.empty(BUCKETS, dtype=np.uint32)
    ranks[buckets] = np.arange(BUCKETS, dtype=np.uint32)
    pairs, sizes = folder / "gram_pairs.tmp", np.zeros(BUCKETS, dtype=np.int64)
    with pairs.open("wb") as file:
        for prefix in _prefixes(names(), Order(weights, ranks, buckets)):
            sizes += np.bincount(prefix["bucket"], minlength=BUCKETS)
            prefix.tofile(file)
    taken = np.cumsum(_invert(pairs, sizes, folder / NUMBERS_FILE))
    pairs.unlink()
    offsets = np.concatenate([np.zeros(1, dtype=np.int64), taken])
    for name, array in (
        (WEIGHTS_FILE, weights),
        (RANKS_FILE, ranks),
        (OFFSETS_FILE, offsets),
        (SIZES_FILE, sizes),
    ):
        np.save(folder / name, array)


def _prefixes(names: Iterable[Sequence[str]], order: Order) -> Iterator[NDArray[Any]]:
    first = 0
    for keys in names:
        kept = prefix_of(grams_of(keys[: max(MOST_NAMES - first, 0)]), order, LEAST)
        prefix = np.empty(len(kept.rows), dtype=_PAIR)
        prefix["bucket"], prefix["name"] = kept.buckets, kept.rows + first
        yield prefix
        first += len(keys)


def _invert(pairs: Path, lengths: NDArray[np.int64], target: Path) -> NDArray[np.int64]:
    """Names by bucket instead of buckets by name, packed; how many bytes each bucket takes."""
    free = np.cumsum(lengths) - lengths
    numbers = np.memmap(
        target.with_suffix(".tmp"), mode="w+", dtype=np.uint32, shape=max(int(lengths.sum()), 1)
    )
    with pairs.open("rb") as file:
        while len(block := np.fromfile(file, dtype=_PAIR, count=_CHUNK_PAIRS)):
            order = np.argsort(block["bucket"], kind="stable")
            buckets = block["bucket"][order]
            starts = np.searchsorted(buckets, buckets, side="left")
            numbers[free[buckets] + np.arange(len(buckets)) - starts] = block["name"][order]
            free += np.bincount(buckets, minlength=BUCKETS)
    sizes, first = [], 0
    with target.open("wb") as packed:
        for some in np.split(lengths, range(_CHUNK_BUCKETS, BUCKETS, _CHUNK_BUCKETS)):
            last = first + int(some.sum())
            lists = pack(numbers[first:last], some)
            lists.content.tofile(packed)
            sizes.append(lists.sizes)
            first = last
    target.with_suffix(".tmp").unlink()
    return np.concatenate(sizes)


class NameGrams:
    """An opened index; `name_key` gives the look-up key of a name by its number."""

    def __init__(self, folder: Path, name_key: Callable[[int], str]) -> None:
        weights, ranks, self._offsets, self._sizes = (
            np.load(folder / name, mmap_mode="r")
            for name in (WEIGHTS_FILE, RANKS_FILE, OFFSETS_FILE, SIZES_FILE)
        )
        # Read, not mapped: the system shares what it keeps of the file all the same, and no process holds the lists it read.
        self._numbers = os.open(folder / NUMBERS_FILE, os.O_RDONLY)
        weakref.finalize(self, os.close, self._numbers)
        if os.fstat(self._numbers).st_size != self._offsets[-1]:
            raise ValueError(f"{NUMBERS_FILE} is not as long as its lists")
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
            size = int(self._sizes[bucket])
            if size > left:
                break
            left -= size
            start, end = int(self._offsets[bucket]), int(self._offsets[bucket + 1])
            content = os.pread(self._numbers, end - start, start)
            lists.append(unpack(np.frombuffer(content, dtype=np.uint8)))
            shares.append(np.full(size, float(self._order.weights[bucket]) ** 2))
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

"""Ids that are looked up when they are first asked for.

Two hops without caps may meet hundreds of thousands of relations; most callers name a few of them or none.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from functools import cached_property
from typing import overload


class LaterIds(Sequence[str]):
    """A sequence of ids; equal to any sequence of the same ids."""

    def __init__(self, name: Callable[[], Sequence[str]]) -> None:
        self._name = name

    @cached_property
    def _ids(self) -> tuple[str, ...]:
        return tuple(self._name())

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[str, ...]: ...
    def __getitem__(self, index: int | slice) -> str | tuple[str, ...]:
        return self._ids[index]

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)

    def __contains__(self, id_: object) -> bool:
        return id_ in self._ids

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._ids == tuple(other)

    def __hash__(self) -> int:
        return hash(self._ids)

    def __repr__(self) -> str:
        return repr(self._ids)


class LaterDepths(Mapping[str, int]):
    """Ids with their depths, of which the number is known."""

    def __init__(self, size: int, name: Callable[[], Mapping[str, int]]) -> None:
        self._size = size
        self._name = name

    @cached_property
    def _depths(self) -> Mapping[str, int]:
        return self._name()

    def __getitem__(self, id_: str) -> int:
        return self._depths[id_]

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return iter(self._depths)

    def keys(self) -> KeysView[str]:
        """Ids in the order they were reached."""
        return self._depths.keys()

    def values(self) -> ValuesView[int]:
        """Depths in that order."""
        return self._depths.values()

    def items(self) -> ItemsView[str, int]:
        """Both in that order."""
        return self._depths.items()

    def __repr__(self) -> str:
        return repr(self._depths)

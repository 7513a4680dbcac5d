"""Packed lists are the lists again, whatever stands between them, and long lists take two bytes a number."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.vocabulary.index.packed_lists import pack, unpack

numbers = st.integers(0, 2**28 - 1)


@given(st.lists(st.lists(numbers, max_size=6, unique=True).map(sorted), max_size=6))
def test_packed_lists_are_the_lists_again(lists: list[list[int]]) -> None:
    whole = np.array([number for each in lists for number in each], dtype=np.uint32)
    packed = pack(whole, np.array([len(each) for each in lists], dtype=np.int64))
    assert packed.sizes.sum() == len(packed.content)
    ends = np.cumsum(packed.sizes)
    found = [
        unpack(packed.content[end - size : end]).tolist()
        for end, size in zip(ends, packed.sizes, strict=True)
    ]
    assert found == lists


def test_a_number_for_every_sixteen_thousand_takes_two_bytes() -> None:
    every = np.arange(0, 2**24, 2**14 - 1, dtype=np.uint32)
    assert len(pack(every, np.array([len(every)])).content) <= 2 * len(every)

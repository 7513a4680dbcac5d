"""Keys lead to the places of their names and back, and concepts have their names as they are written."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.vocabulary.index.concept_names import ConceptNames, number_names
from kg_pipeline.vocabulary.index.name_keys import NameKeys, write_name_keys

keys = st.sampled_from(["il 6", "il6", "β", "tnf alpha", "a", "line\nbreak"])
entries = st.lists(st.tuples(keys, st.integers(0, 2**30 - 1), st.booleans()), max_size=12)


@given(entries)
def test_a_key_leads_to_all_its_places_names_before_derived_forms(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, int, bool]]
) -> None:
    folder = tmp_path_factory.mktemp("keys")
    write_name_keys(rows, folder)
    opened = NameKeys(folder)
    wanted: dict[str, list[tuple[int, bool]]] = defaultdict(list)
    for key, place, derived in rows:
        wanted[key.replace("\n", " ")].append((place, derived))
    for key, places in wanted.items():
        assert opened.places(key) == sorted(places, key=lambda one: (one[1], one[0]))
        assert key in opened
    assert opened.places("absent") == []
    sliced = [key for keys in opened.slices() for key in keys]
    assert [opened.key(number) for number, key in enumerate(sliced) if key] == [key for key in sliced if key]
    assert set(filter(None, sliced)) == {key for key, of in wanted.items() if not all(d for _, d in of)}
    for number, key in enumerate(sliced):
        assert opened.written(number) == (sorted(p for p, d in wanted[key] if not d) if key else [])
    assert not list(folder.glob("*.tmp"))


def test_names_come_back_by_concept_and_by_place(tmp_path: Path) -> None:
    names = [["IL-6", "interleukin 6"], ["β-catenin"], [], ["IL-6", "IL6", "BSF-2"]]
    numbers = number_names(pa.array(names, pa.list_(pa.string())), tmp_path)
    written = ConceptNames(tmp_path, numbers)
    assert [list(written.of(row)) for row in range(len(names))] == names
    assert written.preferred(3) == "IL-6"
    every = [(row, position) for row, of in enumerate(names) for position in range(len(of))]
    assert [written.row_and_position(place) for place in range(len(every))] == every
    assert [written.at(place) for place in range(len(every))] == [name for of in names for name in of]

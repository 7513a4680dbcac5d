from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.vocabulary.names.typing_errors import one_edit


def test_each_kind_of_error_is_made_and_numbers_stay() -> None:
    found = one_edit("asthma 2")
    assert {"astma 2", "asthmaa 2", "asthna 2", "astham 2"} <= set(found)
    assert all(key.endswith("2") or key[:-1].endswith("2") for key in found)
    assert all(key.startswith("a") for key in found)


@given(st.text(st.sampled_from("abc 12"), max_size=8))
def test_an_error_can_be_undone(key: str) -> None:
    found = one_edit(key)
    assert key not in found
    assert found == sorted(found)
    assert all(abs(len(other) - len(key)) <= 1 for other in found)

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kg_pipeline.pmc.remote.articles import read_article, split_set
from kg_pipeline.pmc.remote.bodies import read_json, read_xml
from kg_pipeline.pmc.remote.failures import UnusableAnswer
from kg_pipeline.pmc.remote.http import Answer
from kg_pipeline.pmc.remote.outcomes import Wanted
from tests.pmc.remote.replies import article_set, article_xml, not_available

_ROOTS = frozenset({"pmc-articleset", "article"})
_SET = article_set(article_xml(1), not_available(2), article_xml(3, body=""))


@given(
    st.one_of(
        st.binary(), st.text().map(str.encode), st.sampled_from([b"{", b"[", b"<html", b'{"error": 1}'])
    )
)
@example(b"[" * 100_000)
@example(b"\xff\xfe<\x00a\x00")
def test_nothing_unusable_gets_through(content: bytes) -> None:
    answer = Answer(200, content, "")
    with suppress(UnusableAnswer):
        assert read_xml(answer, _ROOTS).tag in _ROOTS
    with suppress(UnusableAnswer):
        assert isinstance(read_json(answer), dict)


@given(st.integers(0, len(_SET) - 1))
def test_a_set_cut_anywhere_is_never_taken_for_a_whole_one(length: int) -> None:
    with pytest.raises(UnusableAnswer):
        read_xml(Answer(200, _SET[:length], ""), _ROOTS)


@given(
    st.permutations(
        [article_xml(1), article_xml(5), not_available(2), not_available("PMC1"), not_available(5)]
    )
)
def test_no_id_is_both_found_and_missing(parts: list[str]) -> None:
    entries = split_set(read_xml(Answer(200, article_set(*parts), ""), _ROOTS))
    assert {pmcid: entry.status for pmcid, entry in entries.items()} == {
        "PMC1": "ok",
        "PMC2": "not_found",
        "PMC5": "ok",
    }


@given(st.binary())
def test_any_bytes_have_an_outcome(content: bytes) -> None:
    assert read_article(content, Wanted("PMC1")).status == "malformed"

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.pmc.remote.outcomes import Wanted


@pytest.mark.parametrize(
    "text", ["PMC03531190", "pmc3531190", " PMC3531190 ", "3531190", "\tPmc0003531190\n"]
)
def test_spellings_of_a_pmcid(text: str) -> None:
    assert Wanted.parse(text) == Wanted("PMC3531190")


def test_a_version_is_kept() -> None:
    assert Wanted.parse("PMC3531190.2") == Wanted("PMC3531190", 2)


def test_a_source_ref_tells_all() -> None:
    url = "s3://pmc-oa-opendata/PMC7759461.12/PMC7759461.12.xml?md5=2ba36e61fa9eb4950c9daef9c9f58812"
    assert Wanted.parse(url) == Wanted("PMC7759461", 12, url, "2ba36e61fa9eb4950c9daef9c9f58812")


@pytest.mark.parametrize(
    "text", ["", "bad id", "PMC", "PMC0", "PMC12x", "12,13", "PMID:12", "PMC1.2.3", "PMC-1", "٣"]
)
def test_what_is_no_pmcid(text: str) -> None:
    assert Wanted.parse(text) is None


@given(st.integers(1, 10**11), st.one_of(st.none(), st.integers(1, 9999)), st.integers(0, 3))
def test_every_spelling_is_one_id(number: int, version: int | None, zeros: int) -> None:
    tail = "" if version is None else f".{version}"
    assert Wanted.parse(f" pMc{'0' * zeros}{number}{tail} ") == Wanted(f"PMC{number}", version)

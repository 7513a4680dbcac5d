from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.vocabulary.names.variant_names import variant_name


@pytest.mark.parametrize(
    ("names", "one"),
    [
        (
            ("p.Val600Glu", "Val600Glu", "V600E", "p.V600E", "valine to glutamic acid at position 600"),
            "p.V600E",
        ),
        (("p.Arg58fs", "R58fs", "p.R58fsX12"), "p.R58fs"),
        (("p.Arg104*", "R104X", "Arg104Ter"), "p.R104*"),
        (("c.592C>T", "592C-->T", "C592T", "c.592C→T", "C to T transition at nucleotide 592"), "c.592C>T"),
        (("IVS3+1G>A", "IVS3 + 1G-->A"), "c.IVS3+1G>A"),
        (("c.342delA", "342delA"), "c.342delA"),
        (("rs1801133", "rs 1801133", "(rs1801133)"), "rs1801133"),
        (("g.135G>C",), "g.135G>C"),
    ],
)
def test_spellings_of_one_variant(names: tuple[str, ...], one: str) -> None:
    assert {name: variant_name(name) for name in names} == dict.fromkeys(names, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("V600E", "V600K"), ("V600E", "V60E"), ("C592T", "T592C"), ("p.C592T", "c.C592T"), ("rs12", "rs123")],
)
def test_other_variants_keep_other_names(one: str, other: str) -> None:
    assert variant_name(one) != variant_name(other)


@pytest.mark.parametrize("text", ["", "interleukin 6", "exon 11", "wild type", "CAG repeat", "mutation"])
def test_no_variant_has_no_name(text: str) -> None:
    assert variant_name(text) is None


@given(st.sampled_from("ACDEFGHIKLMNPQRSTVWY"), st.integers(1, 9999), st.sampled_from("DEFHIKLMNPQRSVWY"))
def test_every_substitution_of_a_protein_is_read_as_written(before: str, position: int, after: str) -> None:
    assert variant_name(f"p.{before}{position}{after}") == f"p.{before}{position}{after}"

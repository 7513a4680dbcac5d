"""The rules by which scripts/build_vocabulary.py takes names in and joins sources, on small sources of our own."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> Iterator[SimpleNamespace]:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "scripts")
    from open_vocabulary import chemicals, drafts, joining, substance_names

    yield SimpleNamespace(chemicals=chemicals, drafts=drafts, joining=joining, names=substance_names)
    for name in [name for name in sys.modules if name.startswith("open_vocabulary")]:
        del sys.modules[name]


@pytest.mark.parametrize(
    ("name", "kind", "expected"),
    [
        ("FX-12345", "cd", "FX-12345"),
        ("F 12", "cd", None),  # too short to be anything for certain
        ("FEMA NO. 1234", "cd", None),
        ("CI 12345", "cd", None),  # a dye in the Colour Index
        ("CI-123", "cd", "CI-123"),
        ("FXSO", "cn", "FXSO"),
        ("FOXITIDINE", "of", "foxitidine"),
        ("PREMIER", "cn", None),  # a word of ordinary prose
        ("STATION", "cn", None),
        ("FOXITIDINE COMPONENT FOXOL", "cn", None),
        ("1,2-DIFOXYL-3-(4-FOXYLPHENYL)", "sys", None),
    ],
)
def test_names_of_substances_are_taken_as_articles_write_them(
    scripts: SimpleNamespace, name: str, kind: str, expected: str | None
) -> None:
    assert scripts.names.written(name, kind) == expected


def test_a_substance_gives_its_names_to_the_one_concept_that_is_called_like_it(
    scripts: SimpleNamespace,
) -> None:
    draft, substance = scripts.drafts.Draft, scripts.names.Substance
    fox = draft("C:1", "foxitidine", "biolink:Drug", "CHEBI")
    owl = draft("C:2", "owlitidine", "biolink:Drug", "CHEBI", ["AB-12345"])
    listed = [
        substance("FOXITIDINE ANHYDROUS", [("FX-12345", "cd"), ("AB-12345", "cd"), ("XY-77777", "cd")]),
        substance("FOXITIDINE SODIUM", [("FX-99999", "cd"), ("FOXINATE SODIUM", "cn")]),
        substance("BEARITIDINE", [("XY-77777", "cd")]),
    ]
    added = scripts.names.add_substance_names([fox, owl], listed)
    # Neither what another concept has, nor what the list gives to two substances; of a salt, its code only.
    assert fox.names == ["FX-12345", "FX-99999"]
    assert owl.names == ["AB-12345"]
    assert added == 2


def test_a_salt_keeps_its_abbreviation_and_not_the_name_of_its_base(scripts: SimpleNamespace) -> None:
    names = ["FXNA", "foxitate", "foxitate potassium"]
    assert scripts.joining.without_strangers("foxitate sodium", names) == ["FXNA"]
    assert scripts.joining.without_strangers("foxitate", ["foxitate sodium", "FXT"]) == ["FXT"]


def test_a_special_case_does_not_take_over_the_heading_that_lists_it(scripts: SimpleNamespace) -> None:
    draft = scripts.drafts.Draft
    concepts = scripts.joining.Concepts()
    special = draft("MONDO:1", "central foxiness", "biolink:Disease", "MONDO", xrefs={"MESH:D1"})
    same = draft("MONDO:2", "owlness of the eye", "biolink:Disease", "MONDO", ["owlness"], xrefs={"MESH:D2"})
    concepts.add([special, same])
    concepts.add([draft("MESH:D1", "foxiness", "biolink:Disease", "MESH", ["central foxiness"])])
    concepts.add([draft("MESH:D2", "owlness", "biolink:Disease", "MESH")])
    concepts.absorb_references("MONDO", "MESH:")
    assert sorted(concepts.drafts) == ["MESH:D1", "MONDO:1", "MONDO:2"]


def test_a_drug_that_a_source_has_as_a_salt_only_refers_to_the_salt(scripts: SimpleNamespace) -> None:
    draft = scripts.drafts.Draft
    concepts = scripts.joining.Concepts()
    base = draft("CHEBI:1", "foxitidine", "biolink:Drug", "CHEBI")
    salt = draft("MESH:D1", "Foxitidine Hydrochloride", "biolink:ChemicalEntity", "MESH")
    concepts.add([base, salt])
    concepts.refer_to_salt("MESH")
    assert base.xrefs == {"MESH:D1"}
    assert set(concepts.drafts) == {"CHEBI:1", "MESH:D1"}

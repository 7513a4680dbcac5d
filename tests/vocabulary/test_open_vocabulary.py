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
    from open_vocabulary import (
        chemicals,
        drafts,
        filed,
        joining,
        members,
        name_lists,
        scopes,
        substance_names,
    )

    yield SimpleNamespace(
        chemicals=chemicals,
        drafts=drafts,
        filed=filed,
        joining=joining,
        lists=name_lists,
        members=members,
        names=substance_names,
        scopes=scopes,
    )
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


def test_a_member_that_a_heading_lists_is_left_to_its_gene(scripts: SimpleNamespace) -> None:
    draft = scripts.drafts.Draft
    names = ["foxin receptor 2", "foxin receptor", "foxin receptor alpha", "foxin binding protein 7", "FXR"]
    family = draft("FPLX:FXR", "FXR", "biolink:GeneFamily", "FPLX", [*names, "FXR9"])
    genes = [
        draft("HGNC:1", "FXR2", "biolink:Gene", "HGNC", ["foxin receptor 2"]),
        draft("HGNC:2", "FXRA", "biolink:Gene", "HGNC", ["foxin receptor α", "foxin binding protein 7"]),
        draft("HGNC:3", "FXRB", "biolink:Gene", "HGNC", ["FXR9", "foxin binding protein 7"]),
    ]
    taken = scripts.members.leave_members_to_genes([family], genes, {"FPLX:FXR": {"FXR9"}})
    # What two genes have is none of them for certain, and what FamPlex says stands.
    assert family.names == ["foxin receptor", "foxin binding protein 7", "FXR", "FXR9"]
    assert taken == 2


def test_a_name_that_is_only_filed_under_a_heading_becomes_a_concept_below_it(
    scripts: SimpleNamespace,
) -> None:
    draft = scripts.drafts.Draft
    concepts = scripts.joining.Concepts()
    heading = draft("MESH:D1", "Renal Foxiness", "biolink:Disease", "MESH", ["Foxiness of Kidney"])
    scripts.lists.add_entry_terms(
        [heading],
        {"renal foxiness": ["kidney foxiness", "renal foxinesses", "renal owlness", "central owlness"]},
    )
    ontology = draft("MONDO:1", "kidney foxiness", "biolink:Disease", "MONDO", ["central owlness"])
    drug = draft("MESH:D2", "Foxitidine", "biolink:ChemicalEntity", "MESH")
    scripts.lists.add_entry_terms([drug], {"foxitidine": ["foxolan"]})
    concepts.add([heading, ontology, drug])
    concepts.absorb("MONDO:1", "MESH:D1")
    assert scripts.filed.part_filed_names(concepts) == 1
    made = concepts.drafts["KG:renal-owlness"]
    assert (made.parents, made.xrefs, made.category) == (["MONDO:1"], {"MESH:D1"}, "biolink:Disease")
    # Spellings stay, so does what another source calls a synonym, and the trade name of a drug.
    assert {"renal foxinesses", "central owlness"} <= set(ontology.names)
    assert "renal owlness" not in ontology.names
    assert drug.names == ["foxolan"]


def test_synonyms_that_an_ontology_does_not_call_exact_are_noted(scripts: SimpleNamespace) -> None:
    sleep = scripts.drafts.Draft("GO:1", "foxing", "biolink:BiologicalProcess", "GO", ["foxery", "owlery"])
    obo = (
        "[Term]\nid: GO:1\nname: foxing\n"
        'synonym: "owlery" RELATED []\nsynonym: "foxery" EXACT []\nsynonym: "foxing" NARROW []\n\n'
        '[Term]\nid: GO:2\nname: other\nsynonym: "foxery" NARROW []\n'
    )
    scripts.scopes.mark_inexact([sleep], obo)
    assert sleep.filed == {"owlery": "GO:1"}


def test_a_reviewed_row_takes_its_names_from_the_concept_it_is_apart_from(scripts: SimpleNamespace) -> None:
    draft = scripts.drafts.Draft
    concepts = scripts.joining.Concepts()
    concepts.add([draft("MESH:D1", "Foxitin", "biolink:Protein", "MESH", ["fetal foxing", "foxitine"])])
    row = {
        "name": "foxing",
        "synonyms": "fetal foxing",
        "category": "biolink:ChemicalEntity",
        "id": "",
        "parents": "",
        "same_as": "",
        "apart_from": "MESH:D1",
    }
    concepts.part_supplement([row], concepts.add_supplement([row]))
    assert concepts.drafts["MESH:D1"].names == ["foxitine"]
    assert concepts.drafts["KG:foxing"].xrefs == {"MESH:D1"}
    with pytest.raises(SystemExit, match="no other concept"):
        concepts.part_supplement([{**row, "apart_from": "MESH:D9"}], {"foxing": "KG:foxing"})

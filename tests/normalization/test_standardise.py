"""Standardisation: guarded clusters, their independence of order, and the published rules beside them."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.normalization.egot import normalise, standardise_egot, stem
from kg_pipeline.normalization.standardise import Form, Standardised, canonical_name, standardise
from kg_pipeline.vocabulary.guards.vetoes import veto
from kg_pipeline.vocabulary.names.words import words

DISEASE, GENE, PROTEIN, DRUG, CELL = (
    f"biolink:{category}" for category in ("Disease", "Gene", "Protein", "Drug", "Cell")
)


def groups(result: Standardised) -> set[frozenset[str]]:
    return {frozenset(form.name for form in cluster.forms) for cluster in result.clusters}


def unlinked(*names: str, category: str = PROTEIN) -> list[Form]:
    return [Form(name, category) for name in names]


def test_standardise_keeps_interleukins_apart() -> None:
    result = standardise(unlinked("IL-1", "IL-10", "IL1", "interleukin 1", "interleukin 10"))
    assert groups(result) == {
        frozenset({"IL-1", "IL1"}), frozenset({"IL-10"}), frozenset({"interleukin 1"}), frozenset({"interleukin 10"}),
    }  # fmt: skip


def test_standardise_joins_spellings_of_tnf_and_no_tgf() -> None:
    result = standardise(unlinked("TNF-α", "TNF-alpha", "TNF alpha", "TNFα", "TGF-β", "TGF-alpha"))
    assert groups(result) == {
        frozenset({"TNF-α", "TNF-alpha", "TNF alpha", "TNFα"}), frozenset({"TGF-β"}), frozenset({"TGF-alpha"}),
    }  # fmt: skip


def test_standardise_singular_and_plural() -> None:
    result = standardise(
        unlinked("Macrophages", "macrophage", "Antibodies", "antibody", "diabetes", category=CELL)
    )
    assert len(result.clusters) == 3
    assert any(cluster.name == "diabetes" for cluster in result.clusters)


def test_standardise_links_by_concept_first() -> None:
    forms = [
        Form("lung small cell carcinoma", DISEASE, "C0149925"), Form("SCLC", DISEASE, "C0149925", 9),
        Form("small-cell lung cancer", DISEASE, "C0149925"), Form("NSCLC", DISEASE, "C0007131"),
        Form("lung adenocarcinoma", DISEASE, "MONDO:0005061"),
    ]  # fmt: skip
    result = standardise(forms)
    assert [cluster.entity_id for cluster in result.clusters] == ["C0007131", "C0149925", "MONDO:0005061"]
    assert [len(cluster.forms) for cluster in result.clusters] == [1, 3, 1]


def test_a_concept_with_a_gene_and_a_disease_is_split_and_counted() -> None:
    forms = [Form("interleukin 10", GENE, "X:1", 5), Form("rheumatoid arthritis", DISEASE, "X:1", 2)]
    result = standardise(forms)
    assert len(result.clusters) == 2
    assert result.vetoed["categories differ"] == 1


def test_an_unlinked_spelling_joins_the_one_concept_of_that_spelling() -> None:
    result = standardise([Form("lupus nephritis", DISEASE, "C0024143"), Form("Lupus-nephritis", DISEASE)])
    assert [cluster.entity_id for cluster in result.clusters] == ["C0024143"]


@pytest.mark.parametrize(
    "form",
    [
        Form("MS", DISEASE),  # defined in one article only
        Form("lupus nephritis", DISEASE, is_open=True),  # several readings, none accepted
        Form("lupus nephritis", GENE),  # another category
    ],
)
def test_an_unlinked_form_that_must_not_join_stays_local(form: Form) -> None:
    linked = [Form("lupus nephritis", DISEASE, "C0024143"), Form("MS", DISEASE, "C0026769")]
    result = standardise([*linked, form])
    assert sum(cluster.entity_id.startswith("LOCAL:") for cluster in result.clusters) == 1


def test_vetoed_pairs_are_counted() -> None:
    result = standardise(unlinked("EGFR", "eGFR"))
    assert len(result.clusters) == 2
    assert result.vetoed.total() == 1


def test_canonical_name_is_frequency_times_length() -> None:
    assert (
        canonical_name([Form("SLE", DISEASE, count=8), Form("systemic lupus", DISEASE, count=2)])
        == "systemic lupus"
    )
    assert canonical_name([Form("SLE", DISEASE, count=30), Form("systemic lupus", DISEASE, count=2)]) == "SLE"


def test_local_ids_depend_on_the_forms_only() -> None:
    alone = standardise(unlinked("zorgase"))
    among = standardise(unlinked("abcin", "zorgase", "qqrin"))
    assert alone.clusters[0].entity_id in {cluster.entity_id for cluster in among.clusters}


pool = sorted(
    words(
        "IL-1 IL1 IL-10 IL‑1 TNF-α TNFα TNF-alpha TGF-β TGFbeta EGFR eGFR egfr keratinocyte keratinocytes Keratinocytes "
        "antibodies antibody UVB UV-B UVA Ro52 Ro-52 Ro60 miR-21 miR21 MYC MYCN cat CAT Cats Trex1 TREX1"
    )
)
forms = st.lists(
    st.builds(
        Form,
        name=st.sampled_from(pool),
        category=st.sampled_from([GENE, PROTEIN, DISEASE, "biolink:NamedThing"]),
        concept_id=st.sampled_from([None, None, "C1", "C2"]),
        count=st.integers(1, 5),
        is_open=st.booleans(),
    ),
    max_size=14,
    unique_by=lambda form: form.key,
)


@given(forms, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_standardise_does_not_depend_on_order(given_forms: list[Form], random: object) -> None:
    shuffled = list(given_forms)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert standardise(given_forms) == standardise(shuffled)
    assert standardise_egot(given_forms) == standardise_egot(shuffled)


@given(forms)
@settings(deadline=None)
def test_no_cluster_contains_a_vetoed_pair(given_forms: list[Form]) -> None:
    result = standardise(given_forms)
    for cluster in result.clusters:
        for a, b in combinations(cluster.forms, 2):
            assert veto(a.named, b.named) is None
    assert sorted(form.key for cluster in result.clusters for form in cluster.forms) == sorted(
        f.key for f in given_forms
    )
    ids = [cluster.entity_id for cluster in result.clusters]
    assert len(set(ids)) == len(ids)


def test_egot_merges_by_the_published_four_character_stem() -> None:
    result = standardise_egot(
        unlinked("hypertension", "hyperthyroidism", "hypotension", "IL-1", "IL-10", "SLE")
    )
    assert groups(result) == {
        frozenset({"hypertension", "hyperthyroidism"}), frozenset({"hypotension"}), frozenset({"IL-1", "IL-10"}), frozenset({"SLE"}),
    }  # fmt: skip


def test_egot_normalisation_removes_stop_words_and_never_all_of_them() -> None:
    assert normalise("  The Role of Lupus ") == "lupus"
    assert normalise("Patients") == "patients"
    assert stem("the UVB") == "uvb"

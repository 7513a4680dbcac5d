from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kg_pipeline.vocabulary.names.folding import atoms, fold
from kg_pipeline.vocabulary.names.variants import normal_key, singular, singular_word, variants

SAME_KEY = """
TNF-α|TNF-alpha|TNF alpha|TNFα|TNFalpha
IL-1β|IL-1beta|IL-1-beta|IL1β
NF-κB|NF-kappaB|NFκB|NF kappa B
TGF-β1|TGFbeta1|TGF beta 1|TGF-beta-1
IL-10|IL10|IL‑10|IL 10|il-10
Sjögren's syndrome|Sjogren syndrome|Sjögren’s syndrome|SJÖGREN SYNDROME
tumour|tumor
haemoglobin|hemoglobin
oedema|edema
leukaemia|leukemia
leucocyte|leukocyte
coeliac disease|celiac disease
paediatric|pediatric
signalling|signaling
A.C.E. inhibitor|ACE inhibitor
small-cell lung cancer|small cell lung cancer
type 2 diabetes|type-2 diabetes
β-catenin|beta-catenin|beta catenin
Behçet disease|Behcet disease
naïve|naive
Crohn's disease|Crohn disease
""".strip().splitlines()


@pytest.mark.parametrize("line", SAME_KEY)
def test_normal_key_folds_spellings(line: str) -> None:
    assert len({normal_key(form) for form in line.split("|")}) == 1


@pytest.mark.parametrize(
    "line",
    [
        "IL-1|IL-10",
        "IL-12|IL-1 2",
        "TGF-α|TGF-β",
        "asymptomatic|a symptomatic",
        "IL-1 a|IL-1A",
        "type 1|type 11",
        "BRCA1|BRCA2",
    ],
)
def test_normal_key_keeps_names_apart(line: str) -> None:
    a, b = line.split("|")
    assert normal_key(a) != normal_key(b)


@pytest.mark.parametrize(
    "word",
    [
        "diabetes",
        "apoptosis",
        "virus",
        "AIDS",
        "species",
        "series",
        "rabies",
        "pancreas",
        "homeostasis",
        "lupus",
        "mass",
        "herpes",
        "MICE",
        "SARS",
        "DosRS",
    ],
)
def test_singular_leaves_words_alone_that_only_look_plural(word: str) -> None:
    assert singular_word(word) == word


@pytest.mark.parametrize(
    ("plural", "expected"),
    [
        ("antibodies", "antibody"), ("Macrophages", "Macrophage"), ("kinases", "kinase"), ("diseases", "disease"),
        ("metastases", "metastasis"), ("viruses", "virus"), ("biopsies", "biopsy"), ("mitochondria", "mitochondrion"),
        ("STATs", "STAT"), ("mice", "mouse"), ("causes", "cause"), ("fungi", "fungus"), ("pDCs", "pDC"), ("NETs", "NET"),
    ],
)  # fmt: skip
def test_singular_word(plural: str, expected: str) -> None:
    assert singular_word(plural) == expected


def test_singular_changes_the_last_word_only() -> None:
    assert singular("neutrophils extracellular traps") == "neutrophils extracellular trap"
    assert singular("T cells)") == "T cell)"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("type II diabetes", "type 2 diabetes"), ("type 1 diabetes", "type I diabetes"), ("complex IV", "complex 4"),
        ("IFN-a", "IFN-alpha"), ("anti-inflammatory", "antiinflammatory"), ("antibodies", "antibody"),
    ],
)  # fmt: skip
def test_variants_hold_the_other_spelling_and_the_name(name: str, expected: str) -> None:
    assert {name, expected} <= variants(name)


@pytest.mark.parametrize("name", ["vitamin D", "hepatitis C", "CD4", "MYC", "factor"])
def test_variants_invent_nothing(name: str) -> None:
    assert variants(name) == {name}


texts = st.text(st.sampled_from("aAbBsS αβκ1290-–'’.,()+/é\n\u0301\u00ad"), max_size=24)


@given(texts)
def test_atoms_cover_the_text_in_order(text: str) -> None:
    position = 0
    for atom in atoms(text):
        assert atom.start == position
        assert atom.end > atom.start
        position = atom.end
    assert position == len(text)


@given(texts)
@example("A’Sα")
@example("A' S")
@example("A 'S")
@example("A'\xadS")
@example("A'\u0301S")
@example("A\xad'S")
def test_normal_key_is_the_same_for_the_case_and_for_its_own_key(text: str) -> None:
    key = normal_key(text.lower())
    assert normal_key(key) == key


@given(
    st.lists(
        st.sampled_from(["IL-10", "TNF-α", "lupus", "(UVB)", "small-cell", "B12", "5-HT"]),
        min_size=2,
        max_size=6,
    )
)
def test_a_name_folds_in_a_sentence_as_it_folds_alone(names: list[str]) -> None:
    sentence = ", ".join(names)
    kept, gaps = fold(sentence)
    folded = "".join(gap + atom.folded for atom, gap in zip(kept, gaps, strict=True))
    assert all(normal_key(name) in folded for name in names)

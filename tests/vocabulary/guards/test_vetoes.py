"""Guards against pairs of names that people have seen merged wrongly, and pairs that must not be kept apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.vocabulary.guards.vetoes import GUARDS, Named, categories, identifiers, veto
from kg_pipeline.vocabulary.names.name_parts import same_spelling

MUST_NOT_MERGE = """
IL-1|IL-10
IL-6|IL-8
SCLC|NSCLC
small cell lung cancer|non-small cell lung cancer
hypothyroidism|hyperthyroidism
type 1 diabetes|type 2 diabetes
type I diabetes|type II diabetes
BRCA1|BRCA2
EGFR|eGFR
LDL|VLDL
febrile|afebrile
miR-21|miR-210
TGF-α|TGF-β
TGF-alpha|TGF-beta
IFN-α|IFN-γ
IFN-a|IFN-γ
insulin|insulin receptor
EGFR|EGFR inhibitor
TP53|Trp53
TREX1|Trex1
hTNF1|mTNF1
CAT|cat
MICE|mice
CD4|CD44
CD4|CD8
vitamin D|vitamin K
vitamin D2|vitamin D3
hepatitis B|hepatitis C
hepatitis A virus|hepatitis A
acute myeloid leukemia|chronic myeloid leukemia
benign tumor|malignant tumor
left ventricle|right ventricle
intracellular|extracellular
pre-B cell|post-B cell
agonist|antagonist
lung adenocarcinoma|lung cancer
lung cancer|small cell lung cancer
interleukin 1|interleukin 10
lupus|lupus nephritis
systemic lupus erythematosus|cutaneous lupus erythematosus
primary biliary cholangitis|secondary biliary cholangitis
hypertension|hypotension
hyperglycemia|hypoglycemia
symptomatic|asymptomatic
typical|atypical
UVA|UVB
STAT1|STAT3
MYC|MYCN
MYC|MYCL
factor V|factor VIII
collagen type I|collagen type III
caspase-3|caspase-8
TLR7|TLR9
PD-1|PD-L1
morphine|morphine sulfate
carboplatin|carboplatin/etoposide
TNF receptor|TNF
IL-1|IL-1 receptor
IL-1α|IL-1β
heterozygous mutation|homozygous mutation
DNA|RNA
AGs|AGS
Ro52|Ro60
dsDNA|ssDNA
proximal tubule|distal tubule
APOE3|APOE4
p38|p53
JAK1|JAK2
inflammatory|anti-inflammatory
apoptosis|anti-apoptosis
oxygen-dependent|oxygen-independent
with proteinuria|without proteinuria
daclizumab|monoclonal antibody
T cell|T cell receptor
beta-catenin|alpha-catenin
ERK|ERK1
HDAC|HDAC inhibitor
type 2 diabetes mellitus|insulin resistance, susceptibility to
""".strip().splitlines()

MUST_MERGE = """
TNF-α|TNF-alpha
TNF alpha|TNFα
TNF-α|TNFalpha
antibodies|antibody
Macrophages|macrophage
A.C.E. inhibitor|ACE inhibitor
Sjögren syndrome|Sjogren's syndrome
small-cell lung cancer|small cell lung cancer
IL-6|IL6
IL‑6|IL-6
NF-κB|NF-kappaB
NF kappa B|NF-κB
tumour|tumor
tumours|tumor
haemoglobin|hemoglobin
oedema|edema
leukaemia|Leukemia
Crohn's disease|Crohn disease
Alzheimer’s disease|Alzheimer's disease
keratinocytes|keratinocyte
β-catenin|beta-catenin
IFN-γ|IFNgamma
IFN gamma|IFN-γ
T-cells|T cell
CD4+ T cells|CD4+ T-cell
PD-L1|PDL1
p-53|p53
interferon-alpha|interferon α
TGF-β1|TGFbeta1
TGF beta 1|TGF-β1
oesophagus|esophagus
anaemia|anemia
signalling pathway|signaling pathway
diarrhoea|diarrhea
paediatric lupus|pediatric lupus
naïve T cell|naive T cell
Behçet's disease|Behcet disease
lupus-nephritis|lupus nephritis
cytokines|cytokine
Kinases|kinase
metastases|metastasis
mitochondria|mitochondrion
viruses|virus
ultraviolet-B|ultraviolet B
UV-B|UVB
Cisplatin|cisplatin
VITAMIN D|vitamin D
biopsies|biopsy
neutrophil extracellular traps|neutrophil extracellular trap
IL-1β|IL-1beta
ischaemia|ischemia
haemorrhage|hemorrhage
Langerhans cells|Langerhans cell
sulphate|sulfate
oestrogen receptor|estrogen receptor
foetus|fetus
Toll-like receptor 7|toll like receptor 7
STAT-3|STAT3
Ro-52|Ro52
α-synuclein|alpha-synuclein
glomeruli|glomerulus
gynaecology|gynecology
photosensitivities|photosensitivity
dendritic-cell|dendritic cells
ageing|aging
miR-21|miR21
""".strip().splitlines()


@pytest.mark.parametrize("pair", MUST_NOT_MERGE)
def test_veto_keeps_apart(pair: str) -> None:
    a, b = pair.split("|")
    assert veto(Named(a), Named(b))
    assert veto(Named(b), Named(a))


@pytest.mark.parametrize("pair", MUST_MERGE)
def test_veto_lets_spelling_variants_pass(pair: str) -> None:
    a, b = pair.split("|")
    assert veto(Named(a), Named(b)) is None
    assert same_spelling(a, b)


def test_there_are_enough_pairs() -> None:
    assert len(set(MUST_NOT_MERGE)) >= 60
    assert len(set(MUST_MERGE)) >= 60


def test_identifiers_of_one_authority_never_meet() -> None:
    a, b = (
        Named("coronary artery disease", concept_id="C0010068"),
        Named("coronary artery disease", concept_id="C0011860"),
    )
    assert identifiers(a, b) == "concepts differ: C0010068 | C0011860"


def test_categories_keep_a_gene_from_its_disease_even_under_one_identifier() -> None:
    gene, disease = (
        Named("interleukin 10", "biolink:Gene", "X:1"),
        Named("arthritis", "biolink:Disease", "X:1"),
    )
    assert categories(gene, disease)
    assert veto(gene, disease)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("biolink:Gene", "biolink:Protein"),
        ("biolink:Drug", "biolink:ChemicalEntity"),
        ("biolink:Disease", "biolink:PhenotypicFeature"),
        ("biolink:NamedThing", "biolink:Disease"),
    ],
)
def test_categories_are_a_table_of_groups(a: str, b: str) -> None:
    assert categories(Named("x", a), Named("x", b)) is None


def test_synonyms_of_one_concept_need_not_look_alike() -> None:
    a = Named("heart attack", "biolink:Disease", "C0027051")
    assert veto(a, Named("myocardial infarction", "biolink:Disease", "C0027051")) is None


def test_same_spelling_of_cold_is_two_things() -> None:
    assert veto(Named("cold", "biolink:Disease"), Named("cold", "biolink:EnvironmentalExposure"))
    assert veto(Named("NF-kB", "biolink:Protein"), Named("NF-kB", "biolink:GeneFamily")) is None


names = st.text(st.sampled_from("abcdeIL16-αβγ κ+/() 2'sTNF"), min_size=1, max_size=14)


@given(names, names)
def test_guards_are_symmetric(a: str, b: str) -> None:
    for guard in GUARDS:
        assert (guard(Named(a), Named(b)) is None) == (guard(Named(b), Named(a)) is None), guard.__name__


@given(names)
def test_no_guard_objects_to_a_name_itself(name: str) -> None:
    assert veto(Named(name), Named(name)) is None

"""Spellings of one name: singular, variants worth looking up, and the key they are looked up by.

Variants are generated and accepted only if the vocabulary holds them, as Gilda does; they are never compared
by a similarity.
"""

from __future__ import annotations

import re

from kg_pipeline.vocabulary.names.folding import normal_key
from kg_pipeline.vocabulary.names.words import words

__all__ = ["normal_key", "singular", "singular_word", "variants"]

_DASH = re.compile(r"[\u2010-\u2015\u2212]")
#: Singular already, or without a singular, although they end in -s.
_UNCHANGED = words(
    "diabetes species series rabies scabies caries herpes pancreas biceps triceps lens feces faeces ascites tabes "
    "pus mumps measles rickets shingles hives gas bias alias atlas yeas christmas texas kansas cannabis "
    "always perhaps whereas corps news means apparatus abs thus plus this has was does less unless "
    "facies shigelloses homeostasis stress process access excess loss mass class cross"
)
_IRREGULAR = {
    "metastases": "metastasis", "analyses": "analysis", "diagnoses": "diagnosis", "prognoses": "prognosis",
    "bacteria": "bacterium", "mitochondria": "mitochondrion", "nuclei": "nucleus", "fungi": "fungus",
    "stimuli": "stimulus", "bacilli": "bacillus", "criteria": "criterion", "phenomena": "phenomenon",
    "vertebrae": "vertebra", "larvae": "larva", "indices": "index", "matrices": "matrix", "cortices": "cortex",
    "sera": "serum", "ova": "ovum", "septa": "septum", "mice": "mouse", "women": "woman", "men": "man",
    "children": "child", "feet": "foot", "teeth": "tooth", "loci": "locus", "foci": "focus", "thrombi": "thrombus",
    "emboli": "embolus", "bronchi": "bronchus", "villi": "villus", "glomeruli": "glomerulus", "alveoli": "alveolus",
    "carcinomata": "carcinoma", "stigmata": "stigma", "ganglia": "ganglion", "epithelia": "epithelium",
    "crises": "crisis", "testes": "testis", "sarcomata": "sarcoma",
}  # fmt: skip


def singular_word(word: str) -> str:
    """Singular of one English word; words that only look plural (diabetes, apoptosis, virus, AIDS) stay as they are."""
    lower = word.lower()
    if lower in _UNCHANGED or len(word) < 3 or word.isupper():
        return word
    if lower in _IRREGULAR:
        return _IRREGULAR[lower]
    if not word.endswith("s"):
        return word  # nor is the capital S of DosRS the ending of a plural
    if word[-1] == "s" and word[-2].isupper():
        return word[:-1]  # a symbol with a plural s: pDCs, STATs
    if not word[:-1].islower() and not word[:-1].isalpha():
        # A symbol with a plural s: STAT1s, IL-1s; a lower-case s after digits or capitals only.
        return word[:-1] if word[-2:-1].isalnum() and word[-1] == "s" else word
    if len(word) == 3 or (len(word) == 4 and not word[:-1].isupper()):
        return (
            word[:-1]
            if word[:-1].isupper()
            or lower in {"eyes", "arms", "legs", "ears", "rats", "dogs", "cats", "pigs"}
            else word
        )
    if lower.endswith(("ss", "us", "is", "ous", "ids'")):
        return word
    if lower.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if lower.endswith(("uses", "sses", "xes", "ches", "shes", "zes")) and lower not in {
        "houses",
        "causes",
        "uses",
        "axes",
    }:
        return word[:-2]
    return word[:-1]


_LAST_WORD = re.compile(r"([^\W_]+)(\W*)$")


def singular(name: str) -> str:
    """The name with its last word in the singular.

    >>> singular("Antibodies"), singular("diabetes"), singular("AIDS")
    ('Antibody', 'diabetes', 'AIDS')
    """
    found = _LAST_WORD.search(name)
    if not found:
        return name
    return name[: found.start(1)] + singular_word(found[1]) + found[2]


_ROMAN = {
    "II": "2",
    "III": "3",
    "IV": "4",
    "VI": "6",
    "VII": "7",
    "VIII": "8",
    "IX": "9",
    "XI": "11",
    "XII": "12",
}
_ROMAN_ALONE = {**_ROMAN, "I": "1", "V": "5", "X": "10"}
_ARABIC = {arabic: roman for roman, arabic in _ROMAN_ALONE.items()}
_COUNTED = r"(?:type|class|grade|stage|factor|phase|group|subtype)"
_ROMAN_TYPE = re.compile(rf"(?<![^\W_])({_COUNTED})([\s-]+)([IVX]+)(?![^\W_])", re.IGNORECASE)
_ARABIC_TYPE = re.compile(rf"(?<![^\W_])({_COUNTED})([\s-]+)(\d+)(?![^\W_])", re.IGNORECASE)
_ROMAN_END = re.compile(r"(?<=[^\W\d_])([\s-]+)([IVX]{2,4})$")
_ARABIC_END = re.compile(r"(?<=[^\W\d_])([\s-]+)(\d{1,2})$")
_LATIN_GREEK = {"a": "alpha", "b": "beta", "g": "gamma", "d": "delta", "k": "kappa"}
_LATIN_END = re.compile(r"(?<=[A-Z0-9])-([abgdk])$")
_HYPHEN_IN_WORD = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])|(?<=\d)-(?=[^\W\d_])")


def variants(name: str) -> set[str]:
    """Other spellings of the name, itself included, each to be looked up by its `normal_key`.

    Covers plural and singular of the last word, joined hyphens (anti-inflammatory), Roman and Arabic numerals at
    the end or after `type`, and a Latin letter for a Greek one at the end of a symbol (IFN-a).
    """
    plain = _DASH.sub("-", name)
    found = {name, plain, singular(plain)}
    if "-" in plain:
        found.add(_HYPHEN_IN_WORD.sub("", plain))
    for form in sorted(found):
        found.add(_ROMAN_TYPE.sub(lambda m: m[1] + m[2] + _ROMAN_ALONE.get(m[3].upper(), m[3]), form))
        found.add(_ARABIC_TYPE.sub(lambda m: m[1] + m[2] + _ARABIC.get(m[3], m[3]), form))
        found.add(_ROMAN_END.sub(lambda m: m[1] + _ROMAN.get(m[2], m[2]), form))
        found.add(_ARABIC_END.sub(lambda m: m[1] + _ARABIC.get(m[2], m[2]), form))
        found.add(_LATIN_END.sub(lambda m: "-" + _LATIN_GREEK[m[1]], form))
    return {form for form in found if form}

"""Entity standardisation exactly as the eGoT paper publishes it (section 2.1), for comparison with the guarded rules.

Normalise by lower case, strip and stop words; two names are similar if they share a stem of four characters; the
name of a cluster is the one with the highest frequency times length. No concepts, categories or guards take part,
which is why hypertension and hyperthyroidism become one entity.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from kg_pipeline.fingerprint import short_digest
from kg_pipeline.normalization.standardise import LOCAL, Form, Standardised, cluster_of
from kg_pipeline.vocabulary.names.words import words

STEM_CHARACTERS = 4
#: Domain-specific stop words; the paper does not list its own.
STOP_WORDS = words(
    "a an and as at by for from in into of on or the to with patient patients level levels expression role effect effects study "
    "human disease"
)


def normalise(name: str) -> str:
    """Lower case, stripped, without stop words; the name itself where nothing would be left."""
    lower = name.strip().lower()
    return " ".join(word for word in lower.split() if word not in STOP_WORDS) or lower


def stem(name: str) -> str:
    """The first four characters of the normalised name; a shorter name is its own stem."""
    return normalise(name)[:STEM_CHARACTERS]


def standardise_egot(forms: Iterable[Form]) -> Standardised:
    """Group forms by their four-character stem."""
    by_stem: dict[str, list[Form]] = defaultdict(list)
    for form in sorted(forms, key=lambda form: form.key):
        by_stem[stem(form.name)].append(form)
    clusters = [
        cluster_of(f"{LOCAL}{short_digest('egot', key)}", members) for key, members in by_stem.items()
    ]
    return Standardised(tuple(sorted(clusters, key=lambda cluster: cluster.entity_id)))


def stem_score(a: str, b: str) -> float:
    """Share of the longer normalised name that the stem covers, in (0, 1]."""
    longest = max(len(normalise(a)), len(normalise(b)), 1)
    return min(1.0, STEM_CHARACTERS / longest)

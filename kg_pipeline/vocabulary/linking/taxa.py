"""Species that a text is about, told by the words for them, and the one that a place in the text is about."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass

from kg_pipeline.vocabulary.linking.rewrite_words import PEOPLE

HUMAN, MOUSE, RAT = "NCBITaxon:9606", "NCBITaxon:10090", "NCBITaxon:10116"
_MODELS = {
    MOUSE: r"mice|mouse|murine|mus musculus",
    RAT: r"rats?|rattus norvegicus|sprague[- ]dawley|wistar",
    "NCBITaxon:4932": r"yeast|saccharomyces cerevisiae|s\. cerevisiae",
    "NCBITaxon:7227": r"drosophila(?: melanogaster)?|fruit fly|fruit flies",
    "NCBITaxon:7955": r"zebrafish|danio rerio",
    "NCBITaxon:6239": r"c\. elegans|caenorhabditis elegans|nematodes?",
    "NCBITaxon:562": r"e\. coli|escherichia coli",
    "NCBITaxon:9031": r"chickens?|chicks?",
    "NCBITaxon:9913": r"bovine|cattle|cows?",
    "NCBITaxon:9823": r"porcine|pigs?|swine",
    "NCBITaxon:9986": r"rabbits?",
    "NCBITaxon:9615": r"dogs?|canine",
    "NCBITaxon:3702": r"arabidopsis(?: thaliana)?",
}
#: Yeast, fly, worm and plant: their genes share letters with human ones, and are other genes.
DISTANT_MODELS = frozenset({"NCBITaxon:4932", "NCBITaxon:7227", "NCBITaxon:6239", "NCBITaxon:3702"})
_HUMAN_WORDS = "|".join(sorted(PEOPLE - {"homo", "sapiens", "population", "populations", "families", "family", "controls", "male", "males", "female", "females", "workers", "adult", "adults", "newborn", "newborns", "mothers", "mother", "parents", "father", "fathers", "individual", "individuals", "subject", "subjects", "cohort"}))  # fmt: skip
_TAXA = re.compile(
    rf"(?<![\w-])(?:(?P<t9606>{_HUMAN_WORDS}|homo sapiens)"
    + "".join(
        rf"|(?P<t{taxon.removeprefix('NCBITaxon:')}>{pattern})" for taxon, pattern in sorted(_MODELS.items())
    )
    + r")(?![\w])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Taxa:
    """Where a text names which species, in order of position."""

    positions: tuple[int, ...]
    taxa: tuple[str, ...]

    def at(self, position: int, reach: int = 200) -> str | None:
        """Species of a place: the nearest one named before it within `reach` characters, else the most frequent one."""
        if not self.taxa:
            return None
        before = bisect_right(self.positions, position) - 1
        if before >= 0 and position - self.positions[before] <= reach:
            return self.taxa[before]
        return self.main

    @property
    def main(self) -> str | None:
        """The species named most often, the first named one between equals."""
        counts = Counter(self.taxa)
        return max(counts, key=lambda taxon: (counts[taxon], -self.taxa.index(taxon)), default=None)


def taxa_of(text: str) -> Taxa:
    """Species that a text names by a common or scientific name."""
    found = [
        (match.start(), f"NCBITaxon:{match.lastgroup[1:]}")
        for match in _TAXA.finditer(text)
        if match.lastgroup
    ]
    return Taxa(tuple(start for start, _ in found), tuple(taxon for _, taxon in found))

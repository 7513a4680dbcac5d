"""Names from an installed spaCy pipeline with an `ner` component, such as scispaCy's `en_ner_*` and `en_core_sci_*`.

The labels are those of scispaCy's models. `en_core_sci_*` finds entities without saying of what kind; the vocabulary
tells that, and what it does not know is left out.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from kg_pipeline.errors import ModelError
from kg_pipeline.extraction.mentions.ner.recogniser import RecognisedName
from kg_pipeline.fingerprint import digest
from kg_pipeline.text.abbreviations import Definition

if TYPE_CHECKING:
    from spacy.language import Language

#: An entity of any kind.
ANY = "biolink:NamedThing"
#: Biolink category of the labels of scispaCy's models; entities with other labels are left out.
LABELS: Mapping[str, str] = {
    "ENTITY": ANY,
    # en_ner_bc5cdr_md
    "CHEMICAL": "biolink:ChemicalEntity",
    "DISEASE": "biolink:Disease",
    # en_ner_jnlpba_md
    "DNA": "biolink:Gene",
    "RNA": "biolink:Gene",
    "PROTEIN": "biolink:Gene",
    "CELL_LINE": "biolink:CellLine",
    "CELL_TYPE": "biolink:Cell",
    # en_ner_craft_md
    "GGP": "biolink:Gene",
    "TAXON": "biolink:OrganismTaxon",
    "CHEBI": "biolink:ChemicalEntity",
    "CL": "biolink:Cell",
    # en_ner_bionlp13cg_md
    "AMINO_ACID": "biolink:ChemicalEntity",
    "SIMPLE_CHEMICAL": "biolink:ChemicalEntity",
    "GENE_OR_GENE_PRODUCT": "biolink:Gene",
    "CANCER": "biolink:Disease",
    "PATHOLOGICAL_FORMATION": "biolink:Disease",
    "ORGANISM": "biolink:OrganismTaxon",
    "CELL": "biolink:Cell",
    "CELLULAR_COMPONENT": "biolink:CellularComponent",
    "ORGAN": "biolink:AnatomicalEntity",
    "TISSUE": "biolink:AnatomicalEntity",
    "MULTI_TISSUE_STRUCTURE": "biolink:AnatomicalEntity",
    "ANATOMICAL_SYSTEM": "biolink:AnatomicalEntity",
}
#: What scispaCy's pipelines do besides finding names, and is not needed here.
_NOT_NEEDED = ("parser", "lemmatizer", "senter")


class SpacyRecogniser:
    """Names that a spaCy pipeline finds in each sentence by itself."""

    def __init__(self, model: str) -> None:
        import spacy

        try:
            self._pipeline: Language = spacy.load(model, exclude=list(_NOT_NEEDED))
        except (OSError, ValueError) as error:
            raise ModelError(
                f"The entity model {model!r} cannot be loaded ({error}). Install it, or set KG_ENTITY_MODEL to `own`."
            ) from error
        if "ner" not in self._pipeline.pipe_names:
            raise ModelError(
                f"The spaCy pipeline {model!r} finds no entities: it has no `ner` component. Set KG_ENTITY_MODEL to one that has."
            )
        labels = sorted(set(self._pipeline.pipe_labels["ner"]) & set(LABELS))
        if not labels:
            raise ModelError(
                f"The spaCy pipeline {model!r} knows none of the labels of scispaCy's models. Set KG_ENTITY_MODEL to "
                "one that does, such as en_ner_bc5cdr_md."
            )
        self.categories = frozenset(LABELS[label] for label in labels)
        self.digest = pipeline_digest(model)

    def recognise(
        self,
        text: str,
        sentences: Sequence[tuple[int, int]],
        definitions: Sequence[Definition],
        glossary: Mapping[str, str],
    ) -> list[RecognisedName]:
        """Names in the sentences of an article, by position, not overlapping."""
        spans = sorted(set(sentences))
        names = []
        documents = self._pipeline.pipe(text[start:end] for start, end in spans)
        for (offset, _), document in zip(spans, documents, strict=True):
            names += [
                RecognisedName(offset + entity.start_char, offset + entity.end_char, LABELS[entity.label_])
                for entity in document.ents
                if entity.label_ in LABELS
            ]
        return names


def pipeline_digest(model: str) -> str:
    """What changes with the names that a pipeline finds: its name and version and spaCy's; read without loading it.

    Raises
    ------
    ModelError
        If there is no such pipeline.

    """
    folder = Path(model)
    if not folder.is_dir() and model.isidentifier():
        package = importlib.util.find_spec(model)
        folder = Path(package.origin).parent if package is not None and package.origin else folder
    try:
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        of_pipeline = (meta.get("version"), meta.get("name"))
    except (OSError, ValueError, AttributeError) as error:
        raise ModelError(
            f"The entity model {model!r} is not installed. Install it, or set KG_ENTITY_MODEL to `own`."
        ) from error
    return digest(model, *of_pipeline, importlib.metadata.version("spacy"))


@lru_cache(maxsize=2)
def load_spacy_recogniser(model: str) -> SpacyRecogniser:
    """The recogniser of that spaCy pipeline, loaded once a process.

    Raises
    ------
    ModelError
        If the pipeline is not installed, or finds no entities that are known here.

    """
    return SpacyRecogniser(model)

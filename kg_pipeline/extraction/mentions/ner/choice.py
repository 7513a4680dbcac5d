"""Which recogniser the settings ask for, and its digest without loading it."""

from __future__ import annotations

from kg_pipeline.extraction.mentions.ner.recogniser import OWN_MODEL, NameRecogniser, load_recogniser
from kg_pipeline.extraction.mentions.ner.storage import parts_digest

#: The recogniser that ships with the package, and no recogniser at all.
OWN, NONE = "own", "none"


def chosen_recogniser(model: str) -> NameRecogniser | None:
    """The recogniser called `own`, the spaCy pipeline of that name, or None for `none`; loaded once a process.

    Raises
    ------
    ModelError
        If it cannot be loaded.

    """
    if model == NONE:
        return None
    if model == OWN:
        return load_recogniser()
    from kg_pipeline.extraction.mentions.ner.spacy_names import load_spacy_recogniser

    return load_spacy_recogniser(model)


def recogniser_digest(model: str) -> str:
    """What changes with the names that a recogniser finds.

    Raises
    ------
    ModelError
        If there is no such recogniser.

    """
    if model == OWN:
        return parts_digest(OWN_MODEL)
    if model == NONE:
        return NONE
    from kg_pipeline.extraction.mentions.ner.spacy_names import pipeline_digest

    return pipeline_digest(model)

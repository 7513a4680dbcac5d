"""Whether the models that the settings name are there, told before a build begins and not when a stage loads them."""

from __future__ import annotations

from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from kg_pipeline.settings import Settings


def require_models(settings: Settings) -> None:
    """Refuse settings that name a model which is not installed; cheap where all of them are.

    A package that is there is taken for a model that can be loaded. One that is not is loaded all the same, since the
    loader knows best how to say what is missing and what to do.

    Raises
    ------
    ModelError
        If a model's package or file is not there, or the parser is none that the patterns were checked against.
    SettingsError
        If the embedding model is an endpoint's and no endpoint is set.

    """
    from kg_pipeline.extraction.mentions.ner.choice import NONE, OWN, chosen_recogniser
    from kg_pipeline.extraction.syntax.sentence_parser import PINNED_WEIGHTS, load_parser
    from kg_pipeline.llm.embeddings import load_embedder
    from kg_pipeline.text.sentences import load_splitter

    load_embedder(settings)
    loaders: list[tuple[bool, Callable[[str], object], str]] = [
        (settings.spacy_model in PINNED_WEIGHTS, load_parser, settings.spacy_model),
        (True, load_splitter, settings.sentence_model),
        (True, chosen_recogniser, settings.entity_model),
    ]
    for is_known, load, model in loaders:
        if not (is_known and (model in {OWN, NONE} or _is_installed(model))):
            load(model)


def _is_installed(model: str) -> bool:
    """Whether there is a package of that name, or a folder with a pipeline."""
    if (Path(model) / "meta.json").is_file():
        return True
    try:
        metadata.distribution(model)
    except (metadata.PackageNotFoundError, ValueError):
        return False
    return True

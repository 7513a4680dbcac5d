"""Names that the vocabulary has for the concepts of a corpus and the corpus itself never uses.

A question may say `oat cell carcinoma` where every article says SCLC. The mentions stage links what articles say; these
names let a question be read by the same vocabulary, without it being at hand when the question is asked.
"""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from kg_pipeline.datasets import Datasets
from kg_pipeline.schema import SYNONYMS
from kg_pipeline.vocabulary.generic import HOLLOW, HOLLOW_PHRASES
from kg_pipeline.vocabulary.index import Concept, Vocabulary
from kg_pipeline.vocabulary.variants import normal_key
from kg_pipeline.vocabulary.words import words

#: Names of a concept that are looked at; systematic names of chemicals come by the dozen.
_NAMES = 40
_LONGEST = 80
#: A single word of fewer letters is too often another word, and a symbol of another thing.
_SHORTEST_WORD = 6
_SHORTEST_SYMBOL = 5
#: How well the vocabulary has to know a name, in its own measure, and how much better than as anything else.
_SURE = 0.85
_MARGIN = 0.05
#: Words that make something else of the name they stand with; vocabularies file such entries under it.
_OTHER_THING = words(
    "susceptibility susceptible resistance resistant protection predisposition somatic risk against"
)


def build_synonyms(datasets: Datasets, corpus: str, vocabulary: Vocabulary) -> int:
    """Write the dataset `synonyms` for the entities of the corpus; how many names it holds.

    A name is taken where the vocabulary reads it as the concept of one entity and as nothing else nearly so well, and where
    no entity of the corpus is called so. A single word that articles use is none: where they use it, it was read as no
    mention, or as part of a longer name (`damage`, of DNA damage).
    """
    entities = datasets.read("entities", corpus)
    names_of = {
        entity_id: {normal_key(each) for each in (name, *aliases)}
        for entity_id, name, aliases in entities.select("entity_id", "name", "aliases").iter_rows()
    }
    taken = {key for keys in names_of.values() for key in keys} | _words_of(datasets, corpus)
    rows = [
        (entity_id, name)
        for entity_id, concept_id in _concepts(datasets, corpus).iter_rows()
        for name in _names(vocabulary.concept(concept_id), names_of[entity_id], taken, vocabulary)
    ]
    frame = pl.DataFrame(rows, schema=list(SYNONYMS.names), orient="row", infer_schema_length=None)
    frame = frame.cast(dict.fromkeys(SYNONYMS.names, pl.String)).unique().sort("entity_id", "name")
    datasets.write("synonyms", corpus, frame)
    return frame.height


def _concepts(datasets: Datasets, corpus: str) -> pl.DataFrame:
    """Entities and the concepts that their mentions were linked to; a concept of several entities is left out."""
    columns = ("mention_id", "concept_id")
    said = [datasets.scan(name, corpus).select(columns) for name in ("mentions", "triple_mentions")]
    linked = pl.concat(said).filter(pl.col("concept_id").is_not_null())
    entities = datasets.scan("entity_mentions", corpus).select("mention_id", "entity_id")
    pairs = linked.join(entities, on="mention_id").select("entity_id", "concept_id").unique().collect()
    return pairs.unique("concept_id", keep="none").sort("entity_id", "concept_id")


def _words_of(datasets: Datasets, corpus: str) -> set[str]:
    """The words of the articles, as keys."""
    found: set[str] = set()
    for _, chunks in datasets.batches("chunks", corpus):
        spoken = chunks.select(pl.col("text").str.to_lowercase().str.extract_all(r"[\w-]+")).to_series()
        found.update(spoken.explode(empty_as_null=True).drop_nulls().unique())
    return {normal_key(word) for word in found}


def _names(
    concept: Concept | None, called: set[str], taken: set[str], vocabulary: Vocabulary
) -> Iterator[str]:
    """Names of the concept for an entity; none where the entity is called by no name of the concept itself."""
    keys = {name: normal_key(name) for name in concept.names} if concept is not None else {}
    if concept is None or called.isdisjoint(keys.values()):
        return
    own = set(normal_key(concept.name).split())
    for name, key in list(keys.items())[:_NAMES]:
        is_new = key not in taken and not (key in own and len(own) > 1)
        if key and is_new and _is_telling(name, key) and _is_only(name, concept.concept_id, vocabulary):
            yield name


def _is_telling(name: str, key: str) -> bool:
    """Whether a name by itself says what it is about."""
    if len(name) > _LONGEST or "," in name or key in HOLLOW_PHRASES or name.lower() in HOLLOW:
        return False
    parts = key.split()
    if len(parts) > 1:
        return _OTHER_THING.isdisjoint(parts)
    return len(name) >= (_SHORTEST_WORD if name.isalpha() else _SHORTEST_SYMBOL)


def _is_only(name: str, concept_id: str, vocabulary: Vocabulary) -> bool:
    readings = vocabulary.lookup(name)
    if not readings or readings[0].concept_id != concept_id or readings[0].score < _SURE:
        return False
    return len(readings) == 1 or readings[1].score <= readings[0].score - _MARGIN

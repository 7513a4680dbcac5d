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
from kg_pipeline.vocabulary.index import Vocabulary
from kg_pipeline.vocabulary.variants import normal_key

#: Names of a concept that are looked at; systematic names of chemicals come by the dozen.
_NAMES = 40
_LONGEST = 80
#: A single word of fewer letters is too often another word, and a symbol of another thing.
_SHORTEST_WORD = 6
#: How well the vocabulary has to know a name, in its own measure.
_SURE = 0.85


def build_synonyms(datasets: Datasets, corpus: str, vocabulary: Vocabulary) -> int:
    """Write the dataset `synonyms` for the entities of the corpus; how many names it holds.

    A name is taken where the vocabulary reads it as the concept of one entity and as nothing else so well, and where no
    entity of the corpus is called so.
    """
    entities = datasets.read("entities", corpus)
    called = {normal_key(name) for names in entities["aliases"] for name in (*names,) if name}
    called |= {normal_key(name) for name in entities["name"]}
    rows = [
        (entity_id, name)
        for entity_id, concept_id in _concepts(datasets, corpus).iter_rows()
        for name in _names(concept_id, called, vocabulary)
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


def _names(concept_id: str, called: set[str], vocabulary: Vocabulary) -> Iterator[str]:
    concept = vocabulary.concept(concept_id)
    for name in concept.names[:_NAMES] if concept is not None else ():
        key = normal_key(name)
        if key and key not in called and _is_telling(name, key) and _is_only(name, concept_id, vocabulary):
            yield name


def _is_telling(name: str, key: str) -> bool:
    """Whether a name by itself says what it is about."""
    if len(name) > _LONGEST or key in HOLLOW_PHRASES or name.lower() in HOLLOW:
        return False
    is_word = name.isalpha()
    return not is_word or len(name) >= _SHORTEST_WORD


def _is_only(name: str, concept_id: str, vocabulary: Vocabulary) -> bool:
    readings = vocabulary.lookup(name)
    if not readings or readings[0].concept_id != concept_id or readings[0].score < _SURE:
        return False
    return len(readings) == 1 or readings[1].score < readings[0].score

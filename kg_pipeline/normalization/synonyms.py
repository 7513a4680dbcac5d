"""Names that the vocabulary has for the concepts of a corpus and the corpus itself never uses.

A question may say `oat cell carcinoma` where every article says SCLC. The mentions stage links what articles say; these
names let a question be read by the same vocabulary, without it being at hand when the question is asked. What the
vocabulary says of a concept and which words a shard has is remembered between builds.
"""

from __future__ import annotations

import polars as pl

from kg_pipeline.datasets import Datasets
from kg_pipeline.fingerprint import code_digest, short_digest, unchanged_file_sha256
from kg_pipeline.normalization.mention_source import CODE
from kg_pipeline.normalization.remembered import Remembered
from kg_pipeline.vocabulary.index.lookup import Concept, Vocabulary
from kg_pipeline.vocabulary.names.generic import HOLLOW, HOLLOW_PHRASES
from kg_pipeline.vocabulary.names.variants import normal_key
from kg_pipeline.vocabulary.names.words import words

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


#: What the vocabulary says of a concept: the keys of all its names, and names that lead to it alone, with their keys.
_KNOWN = pl.Schema(
    [
        ("concept_id", pl.String),
        ("all_keys", pl.List(pl.String)),
        ("names", pl.List(pl.String)),
        ("keys", pl.List(pl.String)),
    ]
)


def build_synonyms(datasets: Datasets, corpus: str, vocabulary: Vocabulary, remembered: Remembered) -> int:
    """Write the dataset `synonyms` for the entities of the corpus; how many names it holds.

    A name is taken where the vocabulary reads it as the concept of one entity and as nothing else nearly so well, and where
    no entity of the corpus is called so. A single word that articles use is none: where they use it, it was read as no
    mention, or as part of a longer name (`damage`, of DNA damage). An entity has none where no name of its concept is one
    that it is called by.
    """
    said = (
        datasets.read("entities", corpus)
        .select("entity_id", said=pl.concat_list("name", "aliases"))
        .explode("said")
    )
    called = said.join(_keys_of(said["said"], remembered), on="said").select("entity_id", "key").unique()
    taken = pl.concat([called.select("key"), _words_of(datasets, corpus, remembered)]).unique()
    concepts = _concepts(datasets, corpus)
    known = concepts.join(_known(concepts["concept_id"], vocabulary, remembered), on="concept_id")
    named = (
        known.select("entity_id", "concept_id", key="all_keys")
        .explode("key")
        .join(called, on=["entity_id", "key"], how="semi")
    )
    frame = (
        known.join(named, on=["entity_id", "concept_id"], how="semi")
        .select("entity_id", name="names", key="keys")
        .explode("name", "key")
        .drop_nulls()
        .join(taken, on="key", how="anti")
        .select("entity_id", "name")
        .unique()
        .sort("entity_id", "name")
    )
    datasets.write("synonyms", corpus, frame)
    return frame.height


def _keys_of(names: pl.Series, remembered: Remembered) -> pl.DataFrame:
    """Look-up keys of names; those of names that the last build had are remembered."""
    schema, code = {"said": pl.String, "key": pl.String}, code_digest(CODE)
    wanted, before = pl.DataFrame({"said": names.unique()}), remembered.kept("keys", code)
    known = wanted.join(before, on="said") if before is not None else pl.DataFrame(schema=schema)
    new = wanted.join(known, on="said", how="anti").to_series()
    keys = pl.concat([known, pl.DataFrame({"said": new, "key": list(map(normal_key, new))}, schema=schema)])
    remembered.keep("keys", code, keys.sort("said"))
    return keys


def _concepts(datasets: Datasets, corpus: str) -> pl.DataFrame:
    """Entities and the concepts that their mentions were linked to; a concept of several entities is left out."""
    columns = ("mention_id", "concept_id")
    said = [datasets.scan(name, corpus).select(columns) for name in ("mentions", "triple_mentions")]
    linked = pl.concat(said).filter(pl.col("concept_id").is_not_null())
    entities = datasets.scan("entity_mentions", corpus).select("mention_id", "entity_id")
    pairs = linked.join(entities, on="mention_id").select("entity_id", "concept_id").unique().collect()
    return pairs.unique("concept_id", keep="none").sort("entity_id", "concept_id")


def _words_of(datasets: Datasets, corpus: str, remembered: Remembered) -> pl.DataFrame:
    """The words of the articles, as keys."""
    words = [pl.DataFrame(schema={"key": pl.String})]
    for shard in datasets.shards("chunks", corpus):
        path = datasets.fetched("chunks", corpus, shard)
        source = short_digest(unchanged_file_sha256(path), code_digest(CODE))
        words.append(
            remembered.table(f"words-{shard}", source, lambda: _words(datasets.read("chunks", corpus, shard)))  # noqa: B023
        )
    return pl.concat(words).unique()


def _words(chunks: pl.DataFrame) -> pl.DataFrame:
    spoken = chunks.select(pl.col("text").str.to_lowercase().str.extract_all(r"[\w-]+")).to_series()
    distinct = spoken.explode(empty_as_null=True).drop_nulls().unique()
    return pl.DataFrame({"key": sorted(set(map(normal_key, distinct)))}, schema={"key": pl.String})


def _known(concepts: pl.Series, vocabulary: Vocabulary, remembered: Remembered) -> pl.DataFrame:
    """What the vocabulary says of concepts (`_KNOWN`); what it said of those that the last build had is remembered."""
    source = short_digest(vocabulary.digest, code_digest(CODE))
    wanted, before = pl.DataFrame({"concept_id": concepts.unique()}), remembered.kept("concepts", source)
    kept = (
        before.join(wanted, on="concept_id", how="semi")
        if before is not None
        else pl.DataFrame(schema=_KNOWN)
    )
    new = wanted.join(kept, on="concept_id", how="anti").to_series().sort()
    said = [_said_of(vocabulary.concept(concept_id), vocabulary) for concept_id in new]
    fresh = pl.DataFrame([one for one in said if one is not None], schema=_KNOWN, orient="row")
    known = pl.concat([kept, fresh]).sort("concept_id")
    remembered.keep("concepts", source, known)
    return known


def _said_of(
    concept: Concept | None, vocabulary: Vocabulary
) -> tuple[str, list[str], list[str], list[str]] | None:
    """A row of `_KNOWN`."""
    if concept is None:
        return None
    keys = {name: normal_key(name) for name in concept.names}
    own = set(normal_key(concept.name).split())
    told = {
        name: key
        for name, key in list(keys.items())[:_NAMES]
        if key and not (key in own and len(own) > 1)
        if _is_telling(name, key) and _is_only(name, concept.concept_id, vocabulary)
    }
    return concept.concept_id, sorted(set(keys.values())), list(told), list(told.values())


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

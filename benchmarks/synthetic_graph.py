"""The stage tables of a synthetic corpus, for measurements of graph versions: seeded, written in shards, of any size.

Degrees follow a power law. Half of the relations are asserted, with 1.17 sentences each, and half are inferred from two
of those, as in corpora of real articles. An article is a hundred sentences, each of which states one relation; a chunk
is five of them. Sentences, offsets, mentions and ids obey the rules of a graph, so a version made of them verifies.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa

from kg_pipeline.datasets import Datasets, empty_frame
from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from kg_pipeline.vocabulary.predicates import PREDICATES

CORPUS = "synthetic"
_SENTENCES = 100
_CHUNK_SENTENCES = 5
_SHARD_ARTICLES = 2_000
_VECTOR_PART = 100_000
_EXPONENT = 0.7
_EVIDENCE_SHARE = 1.17

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Size:
    """How large the corpus is; `vectors` is how many chunks and entities, of each, get one."""

    entities: int
    relations: int
    vectors: int

    @property
    def asserted(self) -> int:
        """Relations with evidence."""
        return self.relations // 2

    @property
    def sentences(self) -> int:
        """Rows of evidence, a whole number of articles."""
        return max(int(self.asserted * _EVIDENCE_SHARE) // _SENTENCES, 1) * _SENTENCES


def write_corpus(root: Path, size: Size, seed: int = 7) -> None:
    """Write every dataset that a graph version is made from."""
    source = np.random.default_rng(seed)
    datasets = Datasets(root)
    ends = _ends(source, size)
    relation_ids = _hex_ids(source, size.relations)
    stated = np.concatenate(
        (np.arange(size.asserted), source.integers(0, size.asserted, size.sentences - size.asserted))
    )[: size.sentences]
    source.shuffle(stated)
    predicates = source.integers(0, len(PREDICATES), size.relations)
    for shard, first in enumerate(range(0, size.sentences, _SHARD_ARTICLES * _SENTENCES)):
        of_shard = stated[first : first + _SHARD_ARTICLES * _SENTENCES]
        sentences = _sentences(first, of_shard, ends, predicates, relation_ids)
        _write_shard(datasets, f"{shard:05d}", sentences)
    _write_relations(datasets, source, size, ends, predicates, relation_ids, stated)
    _write_entities(datasets, size, ends[:, stated])
    _write_vectors(datasets, source, size)


def entity_ids(ordinals: Ints) -> list[str]:
    """Ids of entities by number."""
    return [f"E:{number:08d}" for number in ordinals.tolist()]


def _ends(source: np.random.Generator, size: Size) -> Ints:
    """Head and tail of each relation; entity n is drawn with a weight of (n + 10) ** -0.7."""
    weight = np.cumsum((np.arange(size.entities) + 10.0) ** -_EXPONENT)
    drawn = np.searchsorted(weight, source.random((2, size.relations)) * weight[-1])
    order = source.permutation(size.entities)  # so that ids say nothing about degrees
    ends: Ints = order[np.minimum(drawn, size.entities - 1)]
    return ends


def _hex_ids(source: np.random.Generator, count: int) -> pa.Array:
    """Distinct texts of 16 hexadecimal digits."""
    digits = pa.py_buffer(source.bytes(8 * count).hex().encode())
    offsets = pa.py_buffer(np.arange(0, 16 * count + 1, 16, dtype=np.int64).tobytes())
    return pa.LargeStringArray.from_buffers(count, offsets, digits).cast(pa.string())


def _numbered(pattern: str, values: Ints) -> pl.Expr:
    return pl.format(pattern, pl.lit(pl.Series(values)).cast(pl.String).str.zfill(8))


def _sentences(
    first: int, stated: Ints, ends: Ints, predicates: Ints, relation_ids: pa.Array
) -> pl.DataFrame:
    """One row a sentence: what it states, its text, and where it stands in its article."""
    labels = pl.Series([predicate.label for predicate in PREDICATES.values()])
    number = np.arange(first, first + len(stated))
    frame = pl.select(
        article_id=_numbered("PMC{}", number // _SENTENCES),
        ordinal=pl.lit(pl.Series(number % _SENTENCES)).cast(pl.Int32),
        evidence_id=_numbered("t{}", number),
        relation_id=pl.lit(pl.from_arrow(relation_ids.take(pa.array(stated)))),
        head_id=_numbered("E:{}", ends[0, stated]),
        tail_id=_numbered("E:{}", ends[1, stated]),
        head_text=_numbered("factor {}", ends[0, stated]),
        tail_text=_numbered("factor {}", ends[1, stated]),
        predicate_text=pl.lit(labels.gather(predicates[stated])),
    )
    quote = pl.format(
        "We observed that {} {} {} in samples of the cohort.", "head_text", "predicate_text", "tail_text"
    )
    length = pl.col("quote").str.len_chars().cast(pl.Int32) + 1
    frame = frame.with_columns(quote=quote)
    frame = frame.with_columns(start=(length.cum_sum() - length).over("article_id"))
    return frame.with_columns(
        end=pl.col("start") + length - 1,
        chunk=pl.col("ordinal") // _CHUNK_SENTENCES,
        head_at=pl.col("start") + len("We observed that "),
        tail_at=pl.col("start")
        + len("We observed that ")
        + (pl.col("head_text").str.len_chars() + pl.col("predicate_text").str.len_chars() + 2).cast(pl.Int32),
    ).with_columns(chunk_id=pl.format("{}:c{}", "article_id", "chunk"))


def _write_shard(datasets: Datasets, shard: str, sentences: pl.DataFrame) -> None:
    texts = sentences.group_by("article_id", maintain_order=True).agg(pl.col("quote").str.join("\n"))
    documents = texts.select(
        "article_id",
        version=pl.lit(1, pl.Int32),
        pmcid="article_id",
        title=pl.format("Article {}", "article_id"),
        journal=pl.lit("Journal"),
        year=pl.lit(2020, pl.Int32),
        article_type=pl.lit("research-article"),
        language=pl.lit("en"),
        license_class=pl.lit("redistributable"),
        text="quote",
        formulas=pl.lit(0, pl.Int32),
    )
    _write(datasets, "documents", documents, shard)
    chunks = sentences.group_by("article_id", "chunk_id", "chunk", maintain_order=True).agg(
        start=pl.col("start").min(),
        end=pl.col("end").max(),
        text=pl.col("quote").str.join("\n"),
        sentences=pl.struct("start", "end"),
    )
    common = {"section_path": pl.lit("Results"), "section_kind": pl.lit("body")}
    _write(
        datasets,
        "chunks",
        chunks.with_columns(ordinal="chunk", n_tokens=pl.lit(100, pl.Int32), **common),
        shard,
    )
    mentions = pl.concat(
        [
            sentences.select(
                "article_id",
                entity_id=f"{end}_id",
                start=f"{end}_at",
                end=pl.col(f"{end}_at") + pl.col(f"{end}_text").str.len_chars().cast(pl.Int32),
                text=f"{end}_text",
            )
            for end in ("head", "tail")
        ]
    ).with_columns(
        mention_id=pl.format("{}:{}-{}", "article_id", "start", "end"),
        normal_form="text",
        category=pl.lit("biolink:Gene"),
        source=pl.lit("vocabulary"),
    )
    _write(datasets, "mentions", mentions, shard)
    _write(datasets, "entity_mentions", mentions, shard)
    evidence = sentences.with_columns(
        common["section_path"].alias("section_path"),
        extractor=pl.lit("offline"),
        confidence=pl.lit(0.75, pl.Float32),
    )
    _write(datasets, "evidence", evidence, shard)


def _write_relations(
    datasets: Datasets,
    source: np.random.Generator,
    size: Size,
    ends: Ints,
    predicates: Ints,
    relation_ids: pa.Array,
    stated: Ints,
) -> None:
    counts = np.bincount(stated, minlength=size.relations)
    names = pl.Series(list(PREDICATES))
    confidence = source.integers(2, 9, size.relations) / 16
    confidence[: size.asserted] += 0.5
    premises = source.integers(0, size.asserted, (size.relations, 2))
    for shard, first in enumerate(range(0, size.relations, 1_000_000)):
        part = slice(first, first + 1_000_000)
        n_asserted = min(max(size.asserted - first, 0), len(predicates[part]))
        frame = pl.select(
            relation_id=pl.lit(pl.from_arrow(relation_ids[part])),
            head_id=_numbered("E:{}", ends[0, part]),
            predicate=pl.lit(names.gather(predicates[part])),
            tail_id=_numbered("E:{}", ends[1, part]),
            negated=pl.lit(False),
            speculative=pl.lit(False),
            confidence=pl.lit(pl.Series(confidence[part])).cast(pl.Float32),
            n_articles=pl.lit(pl.Series(counts[part])).cast(pl.Int32),
            n_evidence=pl.lit(pl.Series(counts[part])).cast(pl.Int32),
        )
        _write(
            datasets,
            "relations",
            frame.head(n_asserted).with_columns(kind=pl.lit("asserted"), rule=pl.lit("")),
            f"{shard:05d}",
        )
        from_ids = [
            pl.from_arrow(relation_ids.take(pa.array(premises[part, n][n_asserted:]))) for n in (0, 1)
        ]
        inferred = frame.tail(frame.height - n_asserted).with_columns(
            kind=pl.lit("transitive"),
            rule=pl.lit("composition"),
            premises=pl.concat_list(*(pl.lit(ids) for ids in from_ids)),
        )
        _write(datasets, "transitive_relations", inferred, f"{shard:05d}")


def _write_entities(datasets: Datasets, size: Size, mentioned: Ints) -> None:
    counts = np.bincount(mentioned.ravel(), minlength=size.entities)
    number = np.arange(size.entities)
    frame = pl.select(
        entity_id=_numbered("E:{}", number),
        name=_numbered("factor {}", number),
        category=pl.lit("biolink:Gene"),
        aliases=pl.concat_list(_numbered("factor {}", number), _numbered("F{}", number)),
        n_mentions=pl.lit(pl.Series(counts)).cast(pl.Int32),
        n_articles=pl.lit(pl.Series(counts)).cast(pl.Int32),
    )
    _write(datasets, "entities", frame)
    merges = frame.select(
        "entity_id",
        name_a="name",
        name_b=pl.col("aliases").list.last(),
        rule=pl.lit("same_concept"),
        score=pl.lit(1.0, pl.Float32),
        evidence=pl.lit(""),
    )
    _write(datasets, "merges", merges)


def _write_vectors(datasets: Datasets, source: np.random.Generator, size: Size) -> None:
    number = np.arange(size.sentences // _CHUNK_SENTENCES)[: size.vectors]
    per_article = _SENTENCES // _CHUNK_SENTENCES
    chunks = pl.select(
        kind=pl.lit("chunk"),
        id=pl.format(
            "{}:c{}", _numbered("PMC{}", number // per_article), pl.lit(pl.Series(number % per_article))
        ),
    )
    entities = pl.select(
        kind=pl.lit("entity"), id=_numbered("E:{}", np.arange(min(size.entities, size.vectors)))
    )
    # As many directions count as in embeddings of sentences and names of 201 articles, where the 10 with the greatest
    # variance hold 21 to 30 % of it, 50 of them 52 to 58 % and 100 of them 73 to 75 %; here it is 25, 58 and 74 %.
    spread = ((np.arange(EMBEDDING_DIMENSIONS) + 10.0) ** -0.6).astype(np.float32)
    for shard, part in enumerate(pl.concat([chunks, entities]).iter_slices(_VECTOR_PART)):
        matrix = source.standard_normal((part.height, EMBEDDING_DIMENSIONS), np.float32) * spread
        matrix /= np.linalg.norm(matrix, axis=1, keepdims=True)
        table = part.with_columns(text_sha256=pl.col("id"), vector=pl.Series(matrix))
        _write(datasets, "embeddings", table, f"{shard:05d}")


def _write(datasets: Datasets, name: str, frame: pl.DataFrame, shard: str | None = None) -> None:
    """Fill in what the measurements do not need with empty lists and nulls."""
    blank = empty_frame(name)
    fill = {
        column: pl.lit([], kind) if isinstance(kind, pl.List) else pl.lit(None, kind)
        for column, kind in blank.schema.items()
        if column not in frame.columns
    }
    datasets.write(name, CORPUS, frame.with_columns(**fill).select(blank.columns), shard)

"""Stage `chunks`: documents to overlapping windows of sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kg_pipeline.corpora import CorpusSpec
from kg_pipeline.datasets import Datasets
from kg_pipeline.fingerprint import code_digest, digest
from kg_pipeline.incremental import ArticleOutput, StageReport, input_digests, one_by_one, run_shard
from kg_pipeline.schema import UNREAD_SECTIONS
from kg_pipeline.settings import Settings
from kg_pipeline.text.chunks import WHOLE_KINDS, Span, Tokenise, measure, windows
from kg_pipeline.text.sentences import SentenceSplitter, load_splitter

PATH_SEPARATOR = " > "
_PACKAGES = ("biosenter", "spacy", "tokenizers")


def build_chunks(datasets: Datasets, spec: CorpusSpec, shard: str, settings: Settings) -> StageReport:
    """Cut the shard's documents into chunks; writes `chunks`."""
    documents = datasets.read("documents", spec.name, shard)
    rows = {
        row["article_id"]: row
        for row in documents.select("article_id", "text", "sections", "paragraphs").iter_rows(named=True)
    }
    upstream = input_digests(datasets, "documents", spec.name, shard)

    def process(article_id: str) -> ArticleOutput:
        splitter = load_splitter(settings.sentence_model)
        chunks = chunk_document(
            rows[article_id],
            splitter=splitter,
            tokenise=load_tokenise(),
            budget=spec.chunk_tokens,
            overlap=spec.chunk_overlap,
        )
        return ArticleOutput(article_id, {"chunks": chunks})

    return run_shard(
        datasets,
        stage="chunks",
        corpus=spec.name,
        shard=shard,
        inputs={article: upstream[article] for article in rows if article in upstream},
        fingerprint=digest(
            code_digest(
                [
                    "kg_pipeline.text.chunks",
                    "kg_pipeline.text.sentences",
                    "kg_pipeline.text.stage",
                    "kg_pipeline.llm.tokens",
                ],
                _PACKAGES,
            ),
            spec.chunk_tokens,
            spec.chunk_overlap,
            settings.sentence_model,
        ),
        outputs=["chunks"],
        process=one_by_one(process),
    )


def chunk_document(
    document: Mapping[str, Any], *, splitter: SentenceSplitter, tokenise: Tokenise, budget: int, overlap: int
) -> list[dict[str, Any]]:
    """Rows of dataset `chunks` for a row of dataset `documents`; `text` is the exact slice of the document.

    Sections that are no evidence (`UNREAD_SECTIONS`) make no chunk.
    """
    text: str = document["text"]
    read = {n: one for n, one in enumerate(document["sections"]) if one["kind"] not in UNREAD_SECTIONS}
    by_section = _sentences(text, [one for one in document["paragraphs"] if one["section"] in read], splitter)
    rows: list[dict[str, Any]] = []
    for number, section in read.items():
        sentences = measure(text, by_section.get(number, []), budget, tokenise)
        for window in windows(sentences, budget=budget, overlap=overlap):
            rows.append(
                {
                    "article_id": document["article_id"],
                    "chunk_id": f"{document['article_id']}:c{len(rows)}",
                    "ordinal": len(rows),
                    "section_path": PATH_SEPARATOR.join(section["path"]),
                    "section_kind": section["kind"],
                    "start": window.start,
                    "end": window.end,
                    "text": text[window.start : window.end],
                    "n_tokens": window.tokens,
                    "sentences": [{"start": start, "end": end} for start, end in window.sentences],
                }
            )
    return rows


def load_tokenise() -> Tokenise:
    """Token spans by the embedding model's tokenizer."""
    from kg_pipeline.llm.tokens import load_tokenizer

    tokenizer = load_tokenizer()

    def tokenise(texts: Sequence[str]) -> list[list[Span]]:
        encodings = tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [encoding.offsets for encoding in encodings]

    return tokenise


def _sentences(
    text: str, paragraphs: Sequence[Mapping[str, Any]], splitter: SentenceSplitter
) -> dict[int, list[tuple[Span, bool]]]:
    """Sentence spans of each section in document order, with whether each is a heading."""
    running = [paragraph for paragraph in paragraphs if paragraph["kind"] not in WHOLE_KINDS]
    found = iter(splitter.split_all([text[paragraph["start"] : paragraph["end"]] for paragraph in running]))
    by_section: dict[int, list[tuple[Span, bool]]] = {}
    for paragraph in paragraphs:
        start = paragraph["start"]
        if paragraph["kind"] in WHOLE_KINDS:
            spans = [(start, paragraph["end"])]
        else:
            spans = [(start + begin, start + end) for begin, end in next(found)]
        is_heading = paragraph["kind"] == "heading"
        by_section.setdefault(paragraph["section"], []).extend((span, is_heading) for span in spans)
    return by_section

"""The contract between stages: the Arrow schema of every dataset, each column with its meaning.

A dataset is one Parquet file a partition. Offsets are code points into `documents.text`, half open;
`documents.text[start:end]` is always exactly the text that a row quotes. Ids are strings and stable:
the same inputs give the same ids in every build.

Statuses of an article are a closed set (`ARTICLE_STATUSES`); kinds of relations too (`RELATION_KINDS`).
"""

from __future__ import annotations

import pyarrow as pa

ARTICLE_STATUSES = (
    "ok",
    "no_body",  # metadata and perhaps an abstract, but no body text
    "not_found",
    "not_open",
    "embargoed",
    "retracted",  # kept out of the graph: its edges lose this support
    "excluded",  # the corpus takes no articles of its type, or none under its licence
    "notice",  # a correction, expression of concern, review or reply: about an article, not evidence itself
    "superseded",  # another file of the corpus holds a newer version of the same article
    "malformed",  # not a JATS article, not well-formed, or over a size bound; the reason says which
    "failed",
)
RELATION_KINDS = ("asserted", "transitive", "lexical", "community")
LICENSE_CLASSES = ("redistributable", "mining_only", "non_commercial", "unknown")
#: Kinds of sections that are text of the article and no evidence: summaries that repeat it, and what is about the paper.
UNREAD_SECTIONS = frozenset({"summary", "back"})
EMBEDDING_DIMENSIONS = 384


def _field(name: str, kind: pa.DataType, meaning: str, *, nullable: bool = False) -> pa.Field:
    return pa.field(name, kind, nullable=nullable, metadata={"meaning": meaning})


def _optional(name: str, kind: pa.DataType, meaning: str) -> pa.Field:
    return _field(name, kind, meaning, nullable=True)


_SPAN = pa.struct([pa.field("start", pa.int32()), pa.field("end", pa.int32())])
_ARTICLE = _field(
    "article_id",
    pa.string(),
    "PMCID without version, or DOI:… / FILE:… where the file has none; PMID:… / SOURCE:… in an imported graph",
)
_START = _field("start", pa.int32(), "first code point in documents.text")
_END = _field("end", pa.int32(), "code point after the last in documents.text")

ARTICLE_INDEX = pa.schema(
    [
        _ARTICLE,
        _field("version", pa.int32(), "article version, 1 where the source names none"),
        _field(
            "source_ref",
            pa.string(),
            "where the source keeps it: relative path, with #n inside an articleset",
        ),
        _field(
            "content_sha256", pa.string(), "SHA-256 of the article's XML bytes; empty where there are none"
        ),
        _field("size", pa.int64(), "bytes of XML"),
        _field("shard", pa.string(), "two digits, from the hash of article_id"),
        _field("status", pa.string(), "one of ARTICLE_STATUSES, as far as the listing can tell"),
        _field("reason", pa.string(), "why the status is not ok; empty otherwise"),
        _field("article_type", pa.string(), "JATS @article-type, empty if absent"),
        _field(
            "license", pa.string(), "licence as the article states it (URL or short text), empty if absent"
        ),
        _field("license_class", pa.string(), "one of LICENSE_CLASSES"),
        _field(
            "change",
            pa.string(),
            "added | updated | retracted | withdrawn | unchanged, against the last listing",
        ),
    ]
)

ARTICLES = pa.schema(
    [
        _ARTICLE,
        _field("version", pa.int32(), "article version"),
        _field("source_ref", pa.string(), "where the source keeps it"),
        _field("content_sha256", pa.string(), "key of the raw XML in the content-addressed store"),
        _field("status", pa.string(), "exactly one of ARTICLE_STATUSES"),
        _field("reason", pa.string(), "why the status is not ok; empty otherwise"),
        _field("article_type", pa.string(), "JATS @article-type"),
        _field("license", pa.string(), "licence as stated"),
        _field("license_class", pa.string(), "one of LICENSE_CLASSES"),
    ]
)

_SECTION = pa.struct(
    [
        pa.field("path", pa.list_(pa.string())),  # titles from the outermost section inwards
        # title | abstract | body | caption | table | appendix | summary | back
        pa.field("kind", pa.string()),
        pa.field("start", pa.int32()),
        pa.field("end", pa.int32()),
    ]
)
_PARAGRAPH = pa.struct(
    [
        pa.field("kind", pa.string()),  # title | paragraph | list_item | caption | table_row | heading …
        pa.field("section", pa.int32()),  # index into sections
        pa.field("start", pa.int32()),
        pa.field("end", pa.int32()),
        pa.field("citations", pa.list_(pa.string())),  # reference ids cited in the paragraph
    ]
)
_ABBREVIATION = pa.struct([pa.field("short", pa.string()), pa.field("long", pa.string())])
_TABLE = pa.struct(
    [
        pa.field("label", pa.string()),
        pa.field("caption", pa.string()),
        pa.field("header_rows", pa.int32()),
        pa.field("cells", pa.list_(pa.list_(pa.string()))),  # grid with row and column spans expanded
    ]
)

DOCUMENTS = pa.schema(
    [
        _ARTICLE,
        _field("version", pa.int32(), "article version"),
        _optional("pmcid", pa.string(), "PMCID with the PMC prefix"),
        _optional("pmid", pa.string(), "PubMed id"),
        _optional("doi", pa.string(), "DOI"),
        _field("title", pa.string(), "article title"),
        _field("journal", pa.string(), "journal title"),
        _optional("year", pa.int32(), "year of publication"),
        _field("article_type", pa.string(), "JATS @article-type"),
        _field("language", pa.string(), "xml:lang of the article, en if absent"),
        _field("license_class", pa.string(), "one of LICENSE_CLASSES"),
        _field(
            "text", pa.string(), "the article's text: paragraphs joined by a blank line, in document order"
        ),
        _field("sections", pa.list_(_SECTION), "sections with full title path; spans do not overlap"),
        _field("paragraphs", pa.list_(_PARAGRAPH), "paragraphs in document order; spans do not overlap"),
        _field("glossary", pa.list_(_ABBREVIATION), "abbreviations the article's glossary defines"),
        _field("tables", pa.list_(_TABLE), "tables as grids"),
        _field("formulas", pa.int32(), "formulas rendered into the text"),
    ]
)

CHUNKS = pa.schema(
    [
        _ARTICLE,
        _field("chunk_id", pa.string(), "ARTICLE:cORDINAL"),
        _field("ordinal", pa.int32(), "position in the article"),
        _field("section_path", pa.string(), "section titles joined by ' > '"),
        _field("section_kind", pa.string(), "kind of the section"),
        _START,
        _END,
        _field("text", pa.string(), "documents.text[start:end]"),
        _field("n_tokens", pa.int32(), "tokens of the embedding model's tokenizer"),
        _field(
            "sentences",
            pa.list_(_SPAN),
            "sentence spans in documents.text; overlapping chunks share sentences",
        ),
    ]
)

_CANDIDATE = pa.struct(
    [
        pa.field("concept_id", pa.string()),
        pa.field("name", pa.string()),
        pa.field("category", pa.string()),
        pa.field("score", pa.float32()),
    ]
)

MENTIONS = pa.schema(
    [
        _ARTICLE,
        _field("mention_id", pa.string(), "ARTICLE:START-END"),
        _START,
        _END,
        _field("text", pa.string(), "the surface form"),
        _field(
            "normal_form",
            pa.string(),
            "the form to standardise: the long form where the text is an abbreviation",
        ),
        _field("category", pa.string(), "Biolink category, for example biolink:Disease"),
        _optional("concept_id", pa.string(), "the accepted candidate, null where none is certain"),
        _field("candidates", pa.list_(_CANDIDATE), "vocabulary candidates, best first"),
        _field("source", pa.string(), "vocabulary | model | abbreviation | glossary | llm | annotation"),
    ]
)

_END_OF_ANNOTATION = (
    ("names", pa.list_(pa.string()), "names that the source says stand in the text, likeliest first"),
    ("identifiers", pa.list_(pa.string()), "its identifiers, as CURIEs"),
    ("category", pa.string(), "Biolink category"),
)

ANNOTATIONS = pa.schema(
    [
        _ARTICLE,
        _field("annotation_id", pa.string(), "digest of what it says, wherever it stands"),
        *(
            _field(f"{end}_{name}", kind, f"{end}: {meaning}")
            for end in ("head", "tail")
            for name, kind, meaning in _END_OF_ANNOTATION
        ),
        _field("relation", pa.string(), "the source's word or type for the relation"),
        _field("quotes", pa.list_(pa.string()), "words in which the source found it, best first"),
        _field(
            "is_quoted", pa.bool_(), "one of the quotes has to be found; else they are places to look first"
        ),
        _field("negated", pa.bool_(), "the source says that it is denied"),
        _field("speculative", pa.bool_(), "the source says that it is only suggested"),
        _field("source", pa.string(), "who found it: PubTator, BioC, INDRA/reach, or as a table says"),
        _field("score", pa.float32(), "the source's confidence in (0, 1], 1 where it gives none"),
        _field("record", pa.string(), "file and place in it"),
    ]
)

TRIPLES = pa.schema(
    [
        _ARTICLE,
        _field(
            "triple_id",
            pa.string(),
            "digest of article, head, predicate, tail, quote span and polarity; of a brought-in one also its source",
        ),
        _field("chunk_id", pa.string(), "the chunk it was read from (the first that holds the quote)"),
        _field("head_mention_id", pa.string(), "mention anchoring the head"),
        _field("tail_mention_id", pa.string(), "mention anchoring the tail"),
        _field("predicate", pa.string(), "predicate of the closed set"),
        _field("predicate_text", pa.string(), "the author's words for it"),
        _field("negated", pa.bool_(), "the sentence denies it"),
        _field("speculative", pa.bool_(), "the sentence only suggests it"),
        _field(
            "quote",
            pa.string(),
            "documents.text[start:end], the sentence that states it; two neighbouring ones where it takes both",
        ),
        _START,
        _END,
        _field(
            "extractor",
            pa.string(),
            "offline (rules) | model (trained) | neighbours (trained, of two sentences) | table | llm:MODEL | "
            "annotation:SOURCE (brought in)",
        ),
        _field("confidence", pa.float32(), "extractor's confidence in (0, 1]"),
    ]
)

REJECTS = pa.schema(
    [
        _ARTICLE,
        _field("chunk_id", pa.string(), "chunk it came from; empty for what was brought in"),
        _field("extractor", pa.string(), "what offered it: llm:MODEL | annotation:SOURCE"),
        _field(
            "reason", pa.string(), "quote_not_found | head_not_anchored | tail_not_anchored | same_entity | …"
        ),
        _field("detail", pa.string(), "what was rejected, as it was offered"),
    ]
)

STAGE_STATUS = pa.schema(
    [
        _ARTICLE,
        _field(
            "input_digest", pa.string(), "digest of what the stage read and of the code and settings it ran"
        ),
        _field("status", pa.string(), "ok | partial (some chunks to be tried again) | failed"),
        _field("reason", pa.string(), "what failed, or what an article that is ok lacks; empty otherwise"),
        _field("rows", pa.int32(), "rows it produced"),
        _field("rejected", pa.int32(), "candidates it refused, with reasons in the rejects table"),
    ]
)

CONCEPTS = pa.schema(
    [
        _field("concept_id", pa.string(), "UMLS CUI where known, else the vocabulary's CURIE"),
        _field("name", pa.string(), "preferred name"),
        _field("category", pa.string(), "Biolink category"),
        _field("names", pa.list_(pa.string()), "all names, the preferred one first"),
        _field("parents", pa.list_(pa.string()), "is-a parents"),
        _field("source", pa.string(), "vocabulary it comes from"),
    ]
)

ENTITIES = pa.schema(
    [
        _field("entity_id", pa.string(), "concept id, or LOCAL:DIGEST where no vocabulary knows it"),
        _field("name", pa.string(), "canonical name"),
        _field("category", pa.string(), "Biolink category"),
        _field("aliases", pa.list_(pa.string()), "surface forms seen, most frequent first"),
        _field("n_mentions", pa.int32(), "mentions in the corpus"),
        _field("n_articles", pa.int32(), "articles that mention it"),
    ]
)

ENTITY_MENTIONS = pa.schema(
    [
        _ARTICLE,
        _field("mention_id", pa.string(), "mention"),
        _field("entity_id", pa.string(), "entity it was standardised to"),
    ]
)

SYNONYMS = pa.schema(
    [
        _field("entity_id", pa.string(), "entity"),
        _field("name", pa.string(), "name that the vocabulary has for it and no article of the corpus uses"),
    ]
)

MERGES = pa.schema(
    [
        _field("entity_id", pa.string(), "entity that both names went to"),
        _field("name_a", pa.string(), "canonical name"),
        _field("name_b", pa.string(), "surface form merged into it"),
        _field(
            "rule",
            pa.string(),
            "same_concept | spelling_variant | abbreviation | egot_stem | llm_adjudication | user_decision",
        ),
        _field("score", pa.float32(), "score of the rule in (0, 1]"),
        _field("evidence", pa.string(), "concept id or mention that justifies it"),
    ]
)

RELATIONS = pa.schema(
    [
        _field("relation_id", pa.string(), "digest of kind, head, predicate, tail and polarity"),
        _field("kind", pa.string(), "one of RELATION_KINDS"),
        _field("head_id", pa.string(), "entity"),
        _field("predicate", pa.string(), "predicate of the closed set"),
        _field("tail_id", pa.string(), "entity"),
        _field("negated", pa.bool_(), "stated to be false"),
        _field("speculative", pa.bool_(), "only suggested, or a hypothesis"),
        _field("confidence", pa.float32(), "belief in (0, 1]; inferred ones never exceed their premises"),
        _field("n_articles", pa.int32(), "articles that state it; 0 for inferred ones"),
        _field("n_evidence", pa.int32(), "evidence rows; 0 for inferred ones"),
        _field(
            "premises", pa.list_(pa.string()), "relation ids it was inferred from; empty for asserted ones"
        ),
        _field("rule", pa.string(), "rule that inferred it; empty for asserted ones"),
    ]
)

EVIDENCE = pa.schema(
    [
        _field("evidence_id", pa.string(), "the triple's id"),
        _field("relation_id", pa.string(), "the relation it supports"),
        _ARTICLE,
        _field("chunk_id", pa.string(), "chunk that holds the quote"),
        _field("section_path", pa.string(), "section titles joined by ' > '"),
        _START,
        _END,
        _field("quote", pa.string(), "the sentence, verbatim, or two that follow one another"),
        _field("head_text", pa.string(), "surface form of the head"),
        _field("tail_text", pa.string(), "surface form of the tail"),
        _field("predicate_text", pa.string(), "the author's words"),
        _field("extractor", pa.string(), "what read it"),
        _field("confidence", pa.float32(), "extractor's confidence"),
    ]
)

EMBEDDINGS = pa.schema(
    [
        _field("kind", pa.string(), "chunk | entity"),
        _field("id", pa.string(), "chunk_id or entity_id"),
        _field("text_sha256", pa.string(), "digest of the embedded text and the model"),
        _field("vector", pa.list_(pa.float32(), EMBEDDING_DIMENSIONS), "unit length"),
    ]
)

#: Datasets that a corpus need not have.
OPTIONAL_DATASETS = frozenset({"annotations", "synonyms"})
DATASETS: dict[str, pa.Schema] = {
    "article_index": ARTICLE_INDEX,
    "articles": ARTICLES,
    "documents": DOCUMENTS,
    "chunks": CHUNKS,
    "mentions": MENTIONS,
    "annotations": ANNOTATIONS,
    "triples": TRIPLES,
    "triple_mentions": MENTIONS,  # mentions that the readers of triples added, anchored in the text
    "rejects": REJECTS,
    "entities": ENTITIES,
    "entity_mentions": ENTITY_MENTIONS,
    "synonyms": SYNONYMS,
    "merges": MERGES,
    "relations": RELATIONS,
    "evidence": EVIDENCE,
    "transitive_relations": RELATIONS,
    "lexical_relations": RELATIONS,
    "community_relations": RELATIONS,
    "embeddings": EMBEDDINGS,
}

"""One article that says the same in its abstract, its results and a caption is one support with three places."""

import polars as pl

from kg_pipeline.datasets import table_from_rows
from kg_pipeline.inference.asserted import assert_relations
from kg_pipeline.pmc.jats.parser import parse_article
from kg_pipeline.schema import UNREAD_SECTIONS
from kg_pipeline.text.sentences import load_splitter
from kg_pipeline.text.stage import chunk_document, load_tokenise

STATEMENT = "Zinc inhibits interleukin 8."
ARTICLE = f"""<article><front><article-meta><title-group><article-title>A title</article-title></title-group>
<abstract><p>{STATEMENT}</p></abstract><abstract abstract-type="teaser"><p>{STATEMENT}</p></abstract></article-meta></front>
<body><sec><title>Results</title><p>Cells were grown. {STATEMENT}</p>
<fig><label>Figure 1</label><caption><p>{STATEMENT}</p></caption></fig></sec></body>
<sub-article><body><p>{STATEMENT}</p></body></sub-article></article>""".encode()


def chunks(article_id):
    parsed = parse_article(ARTICLE)
    document = {
        "article_id": article_id,
        "text": parsed.text,
        "sections": [section._asdict() for section in parsed.sections],
        "paragraphs": [paragraph._asdict() for paragraph in parsed.paragraphs],
    }
    return chunk_document(document, splitter=load_splitter(), tokenise=load_tokenise(), budget=220, overlap=1)


def triples(article_id, found):
    for chunk in found:
        start = chunk["start"] + chunk["text"].index(STATEMENT)
        yield {
            "article_id": article_id,
            "triple_id": f"{article_id}-{start}",
            "chunk_id": chunk["chunk_id"],
            "head_mention_id": f"{article_id}:zinc",
            "tail_mention_id": f"{article_id}:il8",
            "predicate": "inhibits",
            "predicate_text": "inhibits",
            "negated": False,
            "speculative": False,
            "quote": STATEMENT,
            "start": start,
            "end": start + len(STATEMENT),
            "extractor": "offline",
            "confidence": 0.8,
        }


def relations(stated):
    ends = sorted({row[f"{end}_mention_id"] for row in stated for end in ("head", "tail")})
    mentions = [
        {"article_id": each.split(":")[0], "mention_id": each, "entity_id": each.split(":")[1]}
        for each in ends
    ]
    texts = pl.DataFrame({"mention_id": ends, "text": ends})
    rows, mapped = (
        pl.from_arrow(table_from_rows(name, rows))
        for name, rows in (("triples", stated), ("entity_mentions", mentions))
    )
    assert isinstance(rows, pl.DataFrame)
    assert isinstance(mapped, pl.DataFrame)
    return assert_relations(rows, [texts], [mapped], []).relations


def test_three_places_of_one_article_are_one_support():
    found = [chunk for chunk in chunks("PMC1") if STATEMENT in chunk["text"]]
    assert [chunk["section_kind"] for chunk in found] == ["abstract", "body", "caption"]
    assert not UNREAD_SECTIONS.intersection(chunk["section_kind"] for chunk in found)
    everywhere = relations(list(triples("PMC1", found)))
    once = relations(list(triples("PMC1", found[:1])))
    assert everywhere.select("n_articles", "n_evidence").rows() == [(1, 3)]
    assert everywhere["confidence"].to_list() == once["confidence"].to_list()


def test_another_article_with_the_same_words_is_another_support():
    stated = [
        row
        for article_id in ("PMC1", "PMC2")
        for row in triples(article_id, [c for c in chunks(article_id) if STATEMENT in c["text"]])
    ]
    both = relations(stated)
    once = relations([row for row in stated if row["article_id"] == "PMC1"])
    assert both.select("n_articles", "n_evidence").rows() == [(2, 6)]
    assert both["confidence"][0] > once["confidence"][0]

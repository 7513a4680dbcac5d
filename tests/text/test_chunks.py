import re
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.text.chunks import Sentence, measure, windows
from kg_pipeline.text.sentences import SentenceSplitter
from kg_pipeline.text.stage import chunk_document


def words(texts):
    """A stand-in tokenizer: words and signs."""
    return [[match.span() for match in re.finditer(r"\w+|[^\w\s]", text)] for text in texts]


def sentences(*counts: int) -> list[Sentence]:
    position = 0
    made = []
    for count in counts:
        made.append(Sentence(position, position + 10, count))
        position += 11
    return made


def test_windows_fill_the_budget_and_overlap_by_sentences():
    made = list(windows(sentences(4, 4, 4, 4), budget=8, overlap=1))
    assert [window.sentences for window in made] == [
        ((0, 10), (11, 21)),
        ((11, 21), (22, 32)),
        ((22, 32), (33, 43)),
    ]
    assert [window.tokens for window in made] == [8, 8, 8]


def test_overlap_gives_way_to_a_new_sentence():
    made = list(windows(sentences(6, 6, 6), budget=8, overlap=3))
    assert [window.sentences for window in made] == [((0, 10),), ((11, 21),), ((22, 32),)]


def test_headings_alone_make_no_chunk():
    heading = Sentence(0, 7, 1, is_heading=True)
    assert list(windows([heading], budget=8, overlap=1)) == []
    made = list(windows([heading, Sentence(9, 20, 3)], budget=8, overlap=1))
    assert [(window.start, window.end) for window in made] == [(0, 20)]


def test_long_sentence_is_cut_at_clauses():
    text = "IL-6 rose; TNF fell, and zinc helped; all was well."
    parts = measure(text, [((0, len(text)), False)], 8, words)
    assert [text[part.start : part.end] for part in parts] == [
        "IL-6 rose;",
        "TNF fell, and zinc helped;",
        "all was well.",
    ]
    assert all(part.tokens <= 8 for part in parts)


def test_sentence_without_any_border_is_cut_by_tokens():
    text = "a-" * 50
    parts = measure(text, [((0, len(text)), False)], 10, words)
    assert "".join(text[part.start : part.end] for part in parts) == text
    assert max(part.tokens for part in parts) == 10


@settings(deadline=None)
@given(st.lists(st.integers(0, 12), max_size=20), st.integers(12, 30), st.integers(0, 4))
def test_windows_take_every_sentence_in_order_within_the_budget(counts, budget, overlap):
    given_sentences = sentences(*counts)
    made = list(windows(given_sentences, budget=budget, overlap=overlap))
    seen = sorted({span for window in made for span in window.sentences})
    assert seen == [(sentence.start, sentence.end) for sentence in given_sentences]
    assert all(window.tokens <= budget for window in made)
    for before, after in pairwise(made):
        shared = set(before.sentences) & set(after.sentences)
        assert len(shared) <= overlap
        assert after.sentences[-1] > before.sentences[-1]


class Pipeline:
    """A stand-in splitter model: a border after each full stop."""

    def pipe(self, lines, batch_size):
        for line in lines:
            yield Document([0, *(match.end() for match in re.finditer(r"\. ", line))])


class Document:
    def __init__(self, starts):
        self.sents = [Start(start) for start in starts]


class Start:
    def __init__(self, start):
        self.start_char = start


def test_sections_that_are_no_evidence_make_no_chunk():
    text = "Zinc lowers IL-6.\n\nWe thank the mice."
    spans = [(0, 17), (19, 37)]
    document = {
        "article_id": "PMC1",
        "text": text,
        "sections": [
            {"path": [kind], "kind": kind, "start": start, "end": end}
            for kind, (start, end) in zip(("body", "back"), spans, strict=True)
        ],
        "paragraphs": [
            {"kind": "paragraph", "section": number, "start": start, "end": end, "citations": []}
            for number, (start, end) in enumerate(spans)
        ],
    }
    splitter = SentenceSplitter("test", Pipeline())
    chunks = chunk_document(document, splitter=splitter, tokenise=words, budget=20, overlap=0)
    assert [chunk["text"] for chunk in chunks] == ["Zinc lowers IL-6."]


paragraph_texts = st.lists(
    st.sampled_from(
        ["Zinc lowers IL-6.", "We saw it in mice.", "It rose, fell; and rose again in all of them."]
    ),
    min_size=1,
    max_size=6,
).map(" ".join)


@settings(deadline=None)
@given(
    st.lists(st.lists(paragraph_texts, min_size=1, max_size=3), min_size=1, max_size=4),
    st.integers(6, 40),
    st.integers(0, 2),
)
def test_chunks_are_exact_slices_inside_one_section(sections, budget, overlap):
    text, section_rows, paragraph_rows = "", [], []
    for number, paragraphs in enumerate(sections):
        for index, paragraph in enumerate(paragraphs):
            text += "\n\n" if text else ""
            start = len(text)
            text += paragraph
            kind = "heading" if index == 0 and len(paragraphs) > 1 else "paragraph"
            paragraph_rows.append(
                {"kind": kind, "section": number, "start": start, "end": len(text), "citations": []}
            )
        first = next(row for row in paragraph_rows if row["section"] == number)
        section_rows.append(
            {"path": ["A", str(number)], "kind": "body", "start": first["start"], "end": len(text)}
        )
    document = {"article_id": "PMC1", "text": text, "sections": section_rows, "paragraphs": paragraph_rows}
    chunks = chunk_document(
        document,
        splitter=SentenceSplitter("test", Pipeline()),
        tokenise=words,
        budget=budget,
        overlap=overlap,
    )
    assert [chunk["chunk_id"] for chunk in chunks] == [f"PMC1:c{number}" for number in range(len(chunks))]
    covered = set()
    for chunk in chunks:
        assert text[chunk["start"] : chunk["end"]] == chunk["text"]
        assert chunk["n_tokens"] <= budget
        section = section_rows[int(chunk["section_path"].removeprefix("A > "))]
        assert section["start"] <= chunk["start"] < chunk["end"] <= section["end"]
        assert (chunk["sentences"][0]["start"], chunk["sentences"][-1]["end"]) == (
            chunk["start"],
            chunk["end"],
        )
        covered.update(range(chunk["start"], chunk["end"]))
    for row in paragraph_rows:
        if row["kind"] == "paragraph":
            assert all(place in covered or text[place].isspace() for place in range(row["start"], row["end"]))

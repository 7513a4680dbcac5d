from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.annotations.annotated_text import AnnotatedMention, place, stretches
from kg_pipeline.extraction.grounding.quotes import find_quote

#: Letters of one, two, three and four bytes, and of one and two UTF-16 units.
WORDS = st.text(st.sampled_from("abcXYZ01 -βαéﬁ日😀"), max_size=30)
NAMES = st.text(st.sampled_from("abβ日😀é1"), min_size=1, max_size=8)


@given(before=WORDS, name=NAMES, after=WORDS)
def test_offsets_of_any_unit_lead_to_the_name(before: str, name: str, after: str) -> None:
    text = before + name + after
    for encoding, unit in (("utf-32-le", 4), ("utf-16-le", 2), ("utf-8", 1)):
        start = len(before.encode(encoding)) // unit
        end = start + len(name.encode(encoding)) // unit
        found = place(text, start, end, name)
        assert found is not None
        assert text[slice(*found)] == name


@given(text=WORDS, start=st.integers(-5, 60), end=st.integers(-5, 60), name=NAMES)
def test_wrong_offsets_lead_nowhere_or_to_the_name(text: str, start: int, end: int, name: str) -> None:
    found = place(text, start, end, name)
    assert found is None or text[slice(*found)] == name


@given(before=WORDS, first=NAMES, between=WORDS, second=NAMES, after=WORDS)
def test_the_words_from_one_mention_to_the_other_are_found_where_they_were(
    before: str, first: str, between: str, second: str, after: str
) -> None:
    text = before + first + between + second + after
    ends = [len(before), len(before + first), len(before + first + between)]
    head = mention(first, ends[0])
    tail = mention(second, ends[2])
    quotes = stretches([text], [head], [tail])
    assert quotes == (text[ends[0] : ends[2] + len(second)],)
    assert quotes[0] in {text[start:end] for start, end in find_quote(text, quotes[0])}


def mention(name: str, start: int, passage: int = 0) -> AnnotatedMention:
    return AnnotatedMention(name, "biolink:Gene", frozenset(), (), passage, (start, start + len(name)))


def test_mentions_of_two_passages_have_no_words_between_them() -> None:
    assert stretches(["a b", "c d"], [mention("a", 0)], [mention("c", 0, passage=1)]) == ()


def test_the_nearest_mention_on_each_side_counts() -> None:
    text = "b a b b"
    assert stretches([text], [mention("a", 2)], [mention("b", 0), mention("b", 4), mention("b", 6)]) == (
        "a b",
        "b a",
    )

"""Windows of whole sentences over a document: inside one section, within a token budget, overlapping by sentences."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

#: Paragraphs of these kinds are one sentence each, whatever stands in them.
WHOLE_KINDS = frozenset({"title", "heading", "table_row"})

#: Sentences whose tokens are held at once; those of a long section would take much more memory than its text.
_AT_ONCE = 256

Span = tuple[int, int]
#: Token spans (offsets into the text) of each text; special tokens left out.
Tokenise = Callable[[Sequence[str]], list[list[Span]]]


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of the document; `is_heading` where it only names the section."""

    start: int
    end: int
    tokens: int
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """A chunk: `document[start:end]`, made of these sentences."""

    start: int
    end: int
    tokens: int
    sentences: tuple[Span, ...]


def measure(text: str, spans: Sequence[tuple[Span, bool]], budget: int, tokenise: Tokenise) -> list[Sentence]:
    """Sentences with their token counts; one over the budget is cut at the borders of its clauses.

    `spans` are sentence spans with whether each is a heading.
    """
    measured: list[Sentence] = []
    for first in range(0, len(spans), _AT_ONCE):
        part = spans[first : first + _AT_ONCE]
        tokens_of = tokenise([text[start:end] for (start, end), _ in part])
        for ((start, end), is_heading), tokens in zip(part, tokens_of, strict=True):
            if len(tokens) <= budget:
                measured.append(Sentence(start, end, len(tokens), is_heading))
            else:
                measured.extend(_cut(text, start, end, tokens, budget))
    return measured


def windows(sentences: Sequence[Sentence], *, budget: int, overlap: int) -> Iterator[Window]:
    """Consecutive windows over the sentences of one section.

    Each takes as many sentences as the budget allows and starts with the last `overlap` ones of the window before, as far
    as those leave room for a new one. A window of headings only is left out.
    """
    first = 0
    while first < len(sentences):
        last = first + 1
        total = sentences[first].tokens
        while last < len(sentences) and total + sentences[last].tokens <= budget:
            total += sentences[last].tokens
            last += 1
        part = sentences[first:last]
        if not all(sentence.is_heading for sentence in part):
            spans = tuple((sentence.start, sentence.end) for sentence in part)
            yield Window(part[0].start, part[-1].end, total, spans)
        if last == len(sentences):
            return
        first = _next_start(sentences, first, last, budget, overlap)


def _next_start(sentences: Sequence[Sentence], first: int, last: int, budget: int, overlap: int) -> int:
    start = last
    room = budget - sentences[last].tokens
    while start > max(first + 1, last - overlap) and not sentences[start - 1].is_heading:
        room -= sentences[start - 1].tokens
        if room < 0:
            break
        start -= 1
    return start


def _cut(text: str, start: int, end: int, tokens: list[Span], budget: int) -> Iterator[Sentence]:
    """Parts of a long sentence, each within the budget: up to the last `;`, else `,`, else space in its second half."""
    sentence = text[start:end]
    position = 0
    while position < len(tokens):
        stop = min(position + budget, len(tokens))
        if stop < len(tokens):
            stop = _clause_border(sentence, tokens, position, stop)
        begin = tokens[position][0]
        finish = len(sentence) if stop == len(tokens) else tokens[stop][0]
        begin = 0 if position == 0 else begin
        piece = sentence[begin:finish]
        yield Sentence(start + begin, start + begin + len(piece.rstrip()), stop - position)
        position = stop


def _clause_border(sentence: str, tokens: list[Span], position: int, stop: int) -> int:
    half = position + max(1, (stop - position) // 2)
    candidates = range(stop, half, -1)
    for sign in (";", ",", ""):
        for candidate in candidates:
            gap = sentence[tokens[candidate - 1][0] : tokens[candidate][0]]
            if gap[-1:].isspace() and gap.rstrip().endswith(sign):
                return candidate
    return stop

"""Sentence borders in biomedical text: rules for what is certain, and a trained splitter for the rest.

Most full stops are plain: a word before, a capital after, no bracket open. Only the stretches between those that hold
a doubtful one are given to the model, and rules keep it from what must never break. Of an article that has more of them
than any real one, the rules alone decide from there on.

The default is the `biosenter` package, a spaCy `senter` trained on PubMed Central; its weights are pinned by
SHA-256, because other weights would silently give other sentences. Any installed spaCy pipeline can take its place.
Sentences never cross a line break, so never a paragraph.
"""

from __future__ import annotations

import importlib.util
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING

from kg_pipeline.errors import ModelError
from kg_pipeline.fingerprint import file_sha256

if TYPE_CHECKING:
    from spacy.language import Language

BIOSENTER = "biosenter"
#: Weights of biosenter 0.2.0.
BIOSENTER_SHA256 = "2ff9f49ecb6f227a1213c29d10540e11125f93959cb68e698d3d5fa0719bf37b"

Span = tuple[int, int]

_LINE = re.compile(r"[^\n]+")
# Signs that end a sentence, with what may close after them; a colon or semicolon ends a clause.
_POSSIBLE_BORDER = re.compile(r"[.?!…][)\]}\"'”’»*†‡]*\s+(?=\S)")
_TERMINAL = re.compile(r"[.?!…][)\]}\"'”’»*†‡]*$")
#: Ends of sentences that leave no doubt, if no bracket is open: a word of four letters or more, or a bracket.
_PLAIN_END = re.compile(r"(?:[a-z]{4,}|[)\]])[.?!]$")
_BRACKETS = re.compile(r"[()\[\]{}]")
#: Lines that the model reads at once; more of them take memory and no less time.
_BATCH = 32
#: Characters of a stretch after which any border that the rules allow is taken, so that the model's memory is bounded.
_LONGEST = 10_000
#: Characters of doubtful stretches that the model reads of one article; a real one has less than a tenth of it. The rules
#: decide about the rest, or a file made to cost time would take minutes.
_MOST_DOUBTFUL = 2_000_000
#: How far around a border the rules look.
_BEHIND, _AHEAD = 24, 24
# Never the end of a sentence, whatever follows.
_PROCLITIC = re.compile(
    r"(?:(?:^|[\s(\[,;/–-])(?:figs?|eqs?|eqns?|refs?|tabs?|sects?|chap|vs|cf|ca|approx|viz|i\.\s?e|e\.\s?g|var|cv|subsp|ssp|pp"
    r"|nos|resp|est|chr)|(?:^|[\s(\[,;])(?:drs?|prof|mrs?|st))\.$",
    re.IGNORECASE,
)
# Often inside a sentence, sometimes its end; what follows decides.
_AMBIGUOUS = re.compile(
    r"(?:^|[\s(\[,;/–-])(?:[A-Z]|[A-Z]\.\s?[A-Z]|et\.?\s+al|[Aa]l|[Nn]o|spp?|[Vv]ol|[Ss]uppl|Inc|Ltd|Co|Corp|Dept|Univ|[Ss]er"
    r"|[Ee]ds?|p|[Cc]h|[Ee]xp)\.$"
)
_OPENER = re.compile(
    r"(?:The|This|These|Those|That|There|Then|Therefore|Thus|They|Their|It|Its|In|On|At|As|An?|And|By|For|From|To|With|We|Our"
    r"|However|Moreover|Furthermore|Additionally|Here|Hence|He|She|His|Her|If|When|While|Whereas|Although|Because|Since"
    r"|After|Before|During|Following|Briefly|Finally|First|Second|Third|Next|Also|Both|Each|All|Some|Such|Similarly"
    r"|Conversely|Consequently|Accordingly|Subsequently|Interestingly|Importantly|Notably|Overall|Together|Taken|To"
    r"|Only|Other|Another|One|Two|Three|No|Not|Most|Many|Several|Data|Results|Cells|Mice|Patients|Samples|Neither"
    r"|Either|Despite|Using|Given|Unlike|Further)\b"
)
_PLAIN_WORD = re.compile(r"[a-z]+(?=[\s,.;:)]|$)")


@dataclass(frozen=True, slots=True)
class SentenceSplitter:
    """Splits text into sentences; deterministic, and without state."""

    name: str
    _pipeline: Language

    def split(self, text: str) -> list[Span]:
        """Sentence spans in `text`, without the white space around them; together they cover all other characters."""
        return self.split_all([text])[0]

    def split_all(self, texts: Sequence[str]) -> list[list[Span]]:
        """`split` of each text; faster for many paragraphs."""
        lines = [
            (number, match.start(), match.group())
            for number, text in enumerate(texts)
            for match in _LINE.finditer(text)
        ]
        spans: list[list[Span]] = [[] for _ in texts]
        doubts = [find_borders(line) for _, _, line in lines]
        proposed = self._propose(
            [
                line[start:end]
                for (_, _, line), (_, doubtful) in zip(lines, doubts, strict=True)
                for start, end in doubtful
            ]
        )
        for (number, offset, line), (certain, doubtful) in zip(lines, doubts, strict=True):
            borders = [*certain, *(start + at for start, _ in doubtful for at in next(proposed))]
            spans[number].extend(
                (offset + start, offset + end) for start, end in mend_borders(line, sorted(borders))
            )
        return spans

    def _propose(self, parts: Sequence[str]) -> Iterator[list[int]]:
        """Where a new sentence may start inside each part: by the model, past `_MOST_DOUBTFUL` wherever a sign allows it."""
        asked = bisect_right(list(accumulate(map(len, parts))), _MOST_DOUBTFUL)
        for document in self._pipeline.pipe(parts[:asked], batch_size=_BATCH):
            yield [sentence.start_char for sentence in document.sents][1:]
        for part in parts[asked:]:
            yield [match.end() for match in _POSSIBLE_BORDER.finditer(part)]


def find_borders(line: str) -> tuple[list[int], list[Span]]:
    """Starts of sentences that are certain, and the spans between them that hold a doubtful one."""
    certain: list[int] = []
    doubtful: list[Span] = []
    start = depth = seen = 0
    is_doubtful = False
    for match in _POSSIBLE_BORDER.finditer(line):
        border = match.end()
        for bracket in _BRACKETS.findall(line, seen, border):
            depth = depth + 1 if bracket in "([{" else max(depth - 1, 0)
        seen = border
        before = line[max(start, border - _BEHIND) : border].rstrip()
        after = line[border : border + _AHEAD]
        if not may_break(before, after):
            continue
        is_plain = depth == 0 and after[0].isupper() and _PLAIN_END.search(before) is not None
        if is_plain or border - start > _LONGEST:
            if is_doubtful:
                doubtful.append((start, border))
            certain.append(border)
            start, is_doubtful = border, False
        else:
            is_doubtful = True
    if is_doubtful:
        doubtful.append((start, len(line)))
    return certain, doubtful


def mend_borders(line: str, borders: Iterable[int]) -> list[Span]:
    """Sentence spans of one line from proposed starts, without those that the rules forbid."""
    starts = [0]
    starts.extend(
        border
        for border in borders
        if may_break(
            line[max(border - _BEHIND, 0) : border].rstrip(), line[border : border + _AHEAD].lstrip()
        )
    )
    spans = []
    for start, end in zip(starts, [*starts[1:], len(line)], strict=True):
        piece = line[start:end]
        stripped = piece.strip()
        if stripped:
            begin = start + piece.index(stripped[0])
            spans.append((begin, begin + len(stripped)))
    return spans


def may_break(before: str, after: str) -> bool:
    """Whether a sentence may end between these texts.

    Not without a sign that ends one, not after `Fig.`, `vs.`, `i.e.`, not before a plain lower-case word, and after
    an initial (`E. coli`, `J. R. Smith`) or `et al.` only before a word that usually opens a sentence.
    """
    if not before or not after or not _TERMINAL.search(before):
        return False
    tail = before[-_BEHIND:]
    if _PROCLITIC.search(tail):
        return False
    if _AMBIGUOUS.search(tail) and not _OPENER.match(after):
        return False
    return before[-1] not in ".?!" or not _PLAIN_WORD.match(after)


@cache
def load_splitter(model: str = BIOSENTER) -> SentenceSplitter:
    """The splitter of that name, loaded once a process.

    Raises
    ------
    ModelError
        If the package is not installed, is no spaCy pipeline, or holds other weights than those pinned.

    """
    import spacy

    where: str | Path = _biosenter_folder() if model == BIOSENTER else model
    try:
        pipeline = spacy.load(
            where, exclude=["ner", "lemmatizer", "attribute_ruler", "tagger", "entity_linker"]
        )
    except OSError as error:
        raise ModelError(
            f"The sentence model {model!r} cannot be loaded ({error}). Install it, or set KG_SENTENCE_MODEL to a spaCy "
            f"pipeline that is installed."
        ) from error
    if "senter" in pipeline.component_names:
        if "parser" in pipeline.component_names:
            pipeline.remove_pipe("parser")
        pipeline.enable_pipe("senter")
    elif "parser" not in pipeline.component_names:
        pipeline.add_pipe("sentencizer")
    pipeline.max_length = 100_000_000
    return SentenceSplitter(model, pipeline)


def _biosenter_folder() -> Path:
    spec = importlib.util.find_spec(BIOSENTER)
    if spec is None or spec.origin is None:
        raise ModelError(
            "The sentence splitter `biosenter` is not installed. Install biosenter==0.2.0, or set KG_SENTENCE_MODEL to a "
            "spaCy pipeline."
        )
    folder = Path(spec.origin).parent / "model"
    weights = folder / "senter" / "model"
    if not weights.is_file() or file_sha256(weights) != BIOSENTER_SHA256:
        raise ModelError(
            f"{weights} is not the sentence model of biosenter 0.2.0 (SHA-256 {BIOSENTER_SHA256[:16]}…). "
            "Install biosenter==0.2.0 again."
        )
    return folder

"""Find what a language model quoted in the text it was given, whatever it did to spaces, hyphens, case and accents.

Both sides are folded to a common form that remembers, for each character, where it came from; what is found is
always reported as offsets into the original text.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi", "ρ": "rho",
    "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_QUOTATION_MARKS = dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"')
#: Left out when folding: white space, dashes, combining marks, and characters that only steer the layout.
_DROPPED = frozenset({"Zs", "Zl", "Zp", "Cc", "Cf", "Pd", "Mn"})
_SPLIT_NUMBER = re.compile(r"\d\s+\d")
_ELLIPSIS = re.compile(r"\s*(?:\[\s*(?:\.{3}|…)\s*\]|\.{3,}|…)\s*")
_WRAPPING = " \t\r\n\"'“”‘’«»`"
_SHORTEST_PIECE = 12  # folded characters; shorter pieces around an ellipsis would match by chance
_WIDEST_GAP = 400  # characters that an ellipsis may stand for


@dataclass(frozen=True, slots=True)
class FoldedText:
    """A text in folded form; `sources[i]` is the offset in the original of folded character `i`."""

    original: str
    folded: str
    sources: tuple[int, ...]

    def find(self, needle: str, *, start: int = 0) -> Iterator[tuple[int, int]]:
        """Spans in the original, left to right, whose folded form is `needle` (itself folded)."""
        position = self.folded.find(needle, start) if needle else -1
        while position >= 0:
            end = position + len(needle)
            if self._is_border(position) and self._is_border(end):
                yield self.sources[position], self._past(end - 1)
            position = self.folded.find(needle, position + 1)

    def _is_border(self, index: int) -> bool:
        """Whether no original character is cut in two there (`ß` folds to two, `α` to five)."""
        return index in (0, len(self.sources)) or self.sources[index - 1] != self.sources[index]

    def _past(self, index: int) -> int:
        """Offset after the original character, with the accents that follow it."""
        end = self.sources[index] + 1
        while end < len(self.original) and unicodedata.combining(self.original[end]):
            end += 1
        return end


@lru_cache(maxsize=64)
def fold_text(text: str) -> FoldedText:
    """Fold a text and keep the offsets."""
    pieces: list[str] = []
    sources: list[int] = []
    for offset, character in enumerate(text):
        piece = _fold_character(character)
        pieces.append(piece)
        sources.extend([offset] * len(piece))
    return FoldedText(text, "".join(pieces), tuple(sources))


def fold(text: str) -> str:
    """Folded form of a short string, for comparison."""
    return "".join(map(_fold_character, text))


@cache
def _fold_character(character: str) -> str:
    if unicodedata.category(character) in _DROPPED:
        return ""
    if character in _QUOTATION_MARKS:
        return _QUOTATION_MARKS[character]
    plain = "".join(
        part
        for part in unicodedata.normalize("NFKD", character).casefold()
        if unicodedata.category(part) not in _DROPPED
    )
    return "".join(_GREEK.get(part, part) for part in plain.replace("ς", "σ"))


def find_quote(text: str, quote: str) -> list[tuple[int, int]]:
    """Spans of `text` that `quote` quotes, left to right; none if it is not a quotation of it.

    Exact occurrences first; else tolerant ones; else, where the quote leaves something out with an ellipsis, the
    span from its first piece to its last, if the pieces follow each other closely.
    """
    bare = quote.strip(_WRAPPING)
    if not bare:
        return []
    exact = [(match.start(), match.end()) for match in re.finditer(re.escape(bare), text)]
    if exact:
        return exact
    folded = fold_text(text)
    spans = list(folded.find(fold(bare))) or list(folded.find(fold(bare.rstrip(".,;: "))))
    return spans or _find_pieces(folded, _ELLIPSIS.split(bare))


def _find_pieces(text: FoldedText, pieces: list[str]) -> list[tuple[int, int]]:
    needles = [fold(piece.strip(" .,;")) for piece in pieces if piece.strip(" .,;")]
    if len(needles) < 2 or any(len(needle) < _SHORTEST_PIECE for needle in needles):
        return []
    found: list[tuple[int, int]] = []
    for needle in needles:
        after = found[-1][1] if found else 0
        span = next((span for span in text.find(needle) if span[0] >= after), None)
        if span is None or (found and span[0] - after > _WIDEST_GAP):
            return []
        found.append(span)
    return [(found[0][0], found[-1][1])]


def find_name(text: str, name: str) -> list[tuple[int, int]]:
    """Spans of `text` where `name` stands as whole words, left to right; a plural `s` is taken along.

    `IL-1` is found in `IL‑1` and `IL 1`, but not in `IL-10`, `IL-1β` or `sIL-1`; `TGF` not in `TGF-β`.
    """
    needle = fold(name)
    if not any(character.isalnum() for character in needle):
        return []
    spans = []
    for start, found_end in fold_text(text).find(needle):
        end = found_end
        if text[end : end + 1] == "s" and name[-1:].isalpha() and len(needle) > 2:
            end += 1
        joins_numbers = _SPLIT_NUMBER.search(text[start:end]) and not _SPLIT_NUMBER.search(name)
        if not joins_numbers and is_whole(text, start, end):
            spans.append((start, end))
    return spans


_DASH = "-‐‑‒–"
#: A number, a Greek letter or one capital, joined by a hyphen, makes another name: IL-10, TGF-β1, UV-B.
_SUFFIX = r"(?:\d+[a-z]?|[α-ωΑ-Ω]\w{0,2}|[A-Z]\d*)(?![^\W_])"
_LONGER_NAME = re.compile(f"[{_DASH}]{_SUFFIX}")
_ONLY_SUFFIX = re.compile(_SUFFIX)


def is_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit continues the span, and no hyphen joins it to what makes another name of it."""
    before, after = text[start - 1 : start] if start else "", text[end : end + 1]
    if before.isalnum() or after.isalnum() or _LONGER_NAME.match(text, end):
        return False
    is_suffix = bool(before) and before in _DASH and text[start - 2 : start - 1].isalnum()
    return not (is_suffix and _ONLY_SUFFIX.fullmatch(text[start:end]))

"""Abbreviations that a text defines: `interleukin 10 (IL-10)`, each occurrence on its own.

The core is the character match of Schwartz and Hearst (2003, PSB 8:451): every letter and digit of the short form is found, from
the right, in the words before the bracket, and its first one starts a word. Mended here: definitions keep their
positions, so that a short form with two meanings takes the nearest earlier one; digits count (`IL-10`); figure
references, numbers, units and statistics are no short forms; the long form has no more words than the short form
can stand for, and does not start with an article or preposition.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from kg_pipeline.text.short_forms import is_short_form


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form and the long form it was defined by, with their spans in the text."""

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int


#: A bracket may hold an index in brackets of its own: `prostaglandin E(2) (PGE(2))`.
_INDEX = r"(?<=\w)\([\w+\-]{1,4}\)"
_BRACKET = re.compile(rf"(?<=[\w)\]’'\"]) ?[(\[]((?:[^()\[\]\n]|{_INDEX}){{1,200}})[)\]]")
_SENTENCE_BREAK = re.compile(r"[.!?;:] (?=[A-Z])|\n|; ")
_SHORT_END = re.compile(r";|,(?!\d)| or | and | hereafter| henceforth|: |=", re.IGNORECASE)
_SHORT_LEAD = re.compile(
    r"(?:(?:hereafter|henceforth|herein|also|termed|called|abbreviated|known|referred|denoted|designated|or|i\.?e\.?|the|as|to|by|in"
    r"|short|for|abbreviation)[,:]?\s+)+",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s\-–/()\[\],]+")
_PREFIX = re.compile(
    r"(?<!\S)(?:(?:[\d,'′:.α-ω]+|[Aa]lpha|[Bb]eta|[Gg]amma|[Dd]elta|[Aa]nti|[A-Za-z]|\((?:[+\-±]+|[RSEZDL]{1,2})\)|\[\d+[A-Z]\])-)+$"
)
_VERB = frozenset(
    {
        "is", "are", "was", "were", "be", "been", "had", "has", "have", "do", "does", "did", "can", "may",
        "might", "will", "would",
    }
)  # fmt: skip
#: An equation, and borders between the items of a list: `macrophages (TAMs), and`, `, and inhibiting`, `by reducing`.
_NO_NAME = re.compile(r"[=⟩〉∑≠≡|]|_\(|\), |(?:, and|\bby) [a-z]+ing ")
_LAST_WORD = re.compile(r"(?<![\w-])([^\W\d_]+)$")
#: Shorter words are not abbreviated to a letter.
_SPELLED = 5
_TOKEN = re.compile(r"\S+")
_WEAK = frozenset(
    {
        "a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "had", "has", "have", "in", "into",
        "is", "its", "no", "not", "of", "on", "or", "our", "than", "that", "the", "their", "these", "this",
        "those", "to", "was", "we", "were", "which", "with", "called", "named", "termed", "using", "between",
        "including", "such", "via", "but", "may", "can", "also", "when", "then",
    }
)  # fmt: skip
_NAME_OF = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "κ": "kappa", "λ": "lambda", "μ": "mu", "ω": "omega",
}  # fmt: skip
#: How the words for digits start: `two-dimensional (2D)`, `ninth day (D9)`.
_NUMBER = {
    "1": "one", "2": "two", "3": "three", "4": "four", "5": "five", "6": "six", "7": "seven", "8": "eight", "9": "nin",
}  # fmt: skip
#: Words that place a part of a chemical name, and are no words that a short form could stand for.
_LOCANTS = frozenset({*_NAME_OF.values(), "n", "o", "s", "d", "l", "m", "p"})
_GREEK_OF = {"a": "α", "b": "β", "g": "γ", "d": "δ", "k": "κ", "l": "λ", "m": "μ", "o": "ω"}


def find_definitions(text: str, *, shortest: int = 2) -> list[Definition]:
    """Definitions of the forms `long form (SHORT)`, `SHORT (long form)` and `(long form, SHORT)`, by the short form's place.

    With `shortest=1` also letters, `testosterone (T)`: they mean that where they are defined and nowhere else.
    """
    found = []
    for bracket in _BRACKET.finditer(text):
        definition = (
            _long_before_short(text, bracket) or _short_before_long(text, bracket) or _both_inside(bracket)
        )
        if definition is not None and len(definition.short) >= shortest:
            found.append(definition)
    return sorted(found, key=lambda definition: (definition.short_start, definition.long_start))


def _long_before_short(text: str, bracket: re.Match[str]) -> Definition | None:
    content = bracket.group(1)
    lead = _SHORT_LEAD.match(content)
    offset = lead.end() if lead else 0
    end_mark = _SHORT_END.search(content, offset)
    raw = content[offset : end_mark.start() if end_mark else len(content)]
    short = raw.strip(" '\"’“”")
    if not is_short_form(short):
        return _one_letter(text, bracket)
    short_start = bracket.start(1) + offset + raw.index(short)
    window_end = bracket.start()
    window_start = _window_start(text, window_end)
    long_span = _match_long(text[window_start:window_end], short)
    if long_span is None:
        return None
    start, end = window_start + long_span[0], window_start + long_span[1]
    return Definition(short, text[start:end], short_start, short_start + len(short), start, end)


def _one_letter(text: str, bracket: re.Match[str]) -> Definition | None:
    """`testosterone (T)`: the word before the bracket, if it starts with that letter and is long enough to need one."""
    content = bracket.group(1)
    if len(content) != 1 or not content.isupper():
        return None
    word = _LAST_WORD.search(text, 0, bracket.start())
    if word is None or word[1][0].upper() != content or len(word[1]) < _SPELLED:
        return None
    return Definition(content, word[1], bracket.start(1), bracket.end(1), *word.span(1))


def _short_before_long(text: str, bracket: re.Match[str]) -> Definition | None:
    """`IL-10 (interleukin 10)`: the token before the bracket, spelled out as a whole inside it."""
    tokens = list(_TOKEN.finditer(text, max(0, bracket.start() - 24), bracket.start()))
    if not tokens or (
        tokens[0].start() > 0 and len(tokens) == 1 and not text[tokens[0].start() - 1].isspace()
    ):
        return None
    token = tokens[-1]
    short = token.group().lstrip("\"'“‘([").rstrip(",;:")
    content = _SHORT_END.split(bracket.group(1), maxsplit=1)[0].rstrip()
    is_spelled = len(content.split()) > 1 and sum(map(str.isupper, short)) >= 2
    if not is_spelled or not is_short_form(short) or len(content) <= len(short):
        return None
    span = _match_long(content, short)
    if span is None or span[0] != 0:
        return None
    start = token.start() + token.group().index(short)
    return Definition(
        short, content, start, start + len(short), bracket.start(1), bracket.start(1) + len(content)
    )


def _both_inside(bracket: re.Match[str]) -> Definition | None:
    """`(interleukin 10, IL-10)`: what stands before the comma, as a whole."""
    long, comma, rest = bracket.group(1).rpartition(",")
    short = rest.strip()
    if not comma or sum(map(str.isupper, short)) < 2 or not is_short_form(short):
        return None
    if _match_long(long, short) != (0, len(long)):
        return None
    start = bracket.start(1)
    short_start = start + len(long) + 1 + rest.index(short)
    return Definition(short, long, short_start, short_start + len(short), start, start + len(long))


def _window_start(text: str, end: int) -> int:
    """Where the sentence before the bracket starts, at most 200 characters back."""
    start = max(0, end - 200)
    breaks = [match.end() for match in _SENTENCE_BREAK.finditer(text, start, end)]
    if breaks:
        return breaks[-1]
    if start:
        space = text.find(" ", start, end)
        return space + 1 if space >= 0 else end
    return 0


def _match_long(window: str, short: str) -> tuple[int, int] | None:
    """Span of the long form at the end of `window`, or None."""
    end = len(window.rstrip(" \"'’”"))
    characters = [character for character in short.lower() if character.isalnum()]
    attempts = [characters]
    if len(characters) > 2 and short.endswith("s") and not short[-2].islower():
        attempts.append(characters[:-1])  # a plural of the short form only
    lowered = window.lower()
    for find_starts in (
        partial(_initial_starts, skips=0),
        _aligned_starts,
        partial(_initial_starts, skips=1),
    ):
        for attempt in attempts:
            for start in find_starts(lowered, end, attempt):
                begin = _with_prefix(window, start)
                if _is_plausible(window[begin:end], short):
                    return begin, end
    return None


def _initial_starts(window: str, end: int, characters: list[str], skips: int) -> Iterator[int]:
    """The start at which every character opens a word, in order, with at most so many words of weight between two."""
    words = list(_WORD.finditer(window, 0, end))
    position = len(words)
    for character in reversed(characters):
        skipped = 0
        while True:
            position -= 1
            if position < 0:
                return
            if _opens(words[position].group(), character):
                break
            skipped += words[position].group() not in _WEAK
            if skipped > skips:
                return
    yield words[position].start()


def _opens(word: str, character: str) -> bool:
    return word.startswith(
        (
            character,
            _GREEK_OF.get(character, character),
            _NAME_OF.get(character, character),
            _NUMBER.get(character, character),
        )
    )


def _with_prefix(window: str, start: int) -> int:
    """The start moved left over locants and short prefixes: `2,6-diaminopurine`, `anti-MuSK`."""
    prefix = _PREFIX.search(window, 0, start)
    return prefix.start() if prefix else start


def _aligned_starts(window: str, end: int, characters: list[str]) -> Iterator[int]:
    """Starts of words from which the characters can be found in order, nearest first."""
    position = end
    for character in reversed(characters[1:]):
        position = _previous(window, position, character)
        if position < 0:
            return
    while True:
        position = _previous(window, position, characters[0])
        if position < 0:
            return
        if position == 0 or not window[position - 1].isalnum():
            yield position


def _previous(window: str, before: int, character: str) -> int:
    """Last place of the character before a position; a Latin letter stands for its Greek one and a digit only for itself."""
    place = window.rfind(character, 0, before)
    if character in _GREEK_OF:
        place = max(place, window.rfind(_GREEK_OF[character], 0, before))
    if character in _NAME_OF:
        place = max(place, window.rfind(_NAME_OF[character], 0, before))
    if character == "x":
        place = max(place, window.rfind("ectom", 0, before))  # ovariectomized (OVX)
    return place


def _is_plausible(long: str, short: str) -> bool:
    """Bounds on what a short form can stand for."""
    words = _WORD.findall(long)
    size = sum(map(str.isalnum, short))
    if not words or words[0].lower() in _WEAK or len(long) <= len(short):
        return False
    if not _VERB.isdisjoint(words) or _NO_NAME.search(long):
        return False
    named = sum(word.lower() not in _LOCANTS and not word.isdigit() for word in words)
    if named > min(size + 5, 2 * size) or len(long) > 12 * size + 20:
        return False
    if short.lower() in (word.lower() for word in _TOKEN.findall(long)):
        return False
    if any(map(str.isdigit, short)) and not _has_digits(short, long):
        return False
    return ") " not in long and long.count("(") == long.count(")") and long.count("[") == long.count("]")


def _has_digits(short: str, long: str) -> bool:
    """The digits of the short form are those of the long form: IL-10 is not interleukin 1."""
    wanted = re.findall(r"\d+", short)
    present = re.findall(r"\d+", long)
    return all(number in present or _NUMBER.get(number, " ") in long.lower() for number in wanted)

"""Abbreviations that a text defines: `interleukin 10 (IL-10)`, each occurrence on its own.

The core is the character match of Schwartz and Hearst (2003, PSB 8:451): every letter and digit of the short form is found, from
the right, in the words before the bracket, and its first one starts a word. Mended here: definitions keep their
positions, so that a short form with two meanings takes the nearest earlier one; digits count (`IL-10`); figure
references, numbers, units and statistics are no short forms; the long form has no more words than the short form
can stand for, and does not start with an article or preposition.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form and the long form it was defined by, with their spans in the text."""

    short: str
    long: str
    short_start: int
    short_end: int
    long_start: int
    long_end: int


_BRACKET = re.compile(r"(?<=[\w)\]’'\"]) ?[(\[]([^()\[\]\n]{1,200})[)\]]")
_SENTENCE_BREAK = re.compile(r"[.!?;:] (?=[A-Z])|\n|; ")
_SHORT = re.compile(r"[A-Za-z0-9Α-ω][\w+\-/'’.αβγδκ& ]{0,14}")
_SHORT_END = re.compile(r"[;,]| or | and | hereafter| henceforth|: |=", re.IGNORECASE)
_SHORT_LEAD = re.compile(
    r"(?:(?:hereafter|henceforth|herein|also|termed|called|abbreviated|known|referred|denoted|designated|or|i\.?e\.?|the|as|to|by|in"
    r"|short|for|abbreviation)[,:]?\s+)+",
    re.IGNORECASE,
)
_NOT_SHORT = re.compile(
    r"(?:see|figs?\.?|figures?|tables?|tab\.?|eqs?\.?|equations?|refs?\.?|references?|supplement\w*|suppl\.?|ref|panel|box|section|sect\.?"
    r"|appendix|chapter|step|n|p|r|t|f|z|df|ns|vs\.?|e\.g|i\.e|video|movie|file|days?|weeks?|months?|years?|hours?|left|right|top|bottom|upper"
    r"|lower|and|or|in|of|the|for|to|by|with|from|green|red|blue|black|white|grey|gray|arrow\w*|data|not|shown|control\w*"
    r"|i{1,3}|iv|vi{0,3}|ix|x)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s\-–/()\[\],]+")
_PREFIX = re.compile(r"(?<!\S)(?:(?:[\d,'′:.α-ω]+|alpha|beta|gamma|delta|[A-Za-z]|\([+\-±A-Z]+\))-)+$")
_ROMAN_OR_PANEL = re.compile(r"[IVXivx]+|\d+[a-z]")
_VERB = frozenset(
    {
        "is", "are", "was", "were", "be", "been", "had", "has", "have", "do", "does", "did", "can", "may",
        "might", "will", "would",
    }
)  # fmt: skip
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
    "α": "alpha",
    "β": "beta",
    "γ": "gamma",
    "δ": "delta",
    "κ": "kappa",
    "λ": "lambda",
    "μ": "mu",
    "ω": "omega",
}
_GREEK_OF = {"a": "α", "b": "β", "g": "γ", "d": "δ", "k": "κ", "l": "λ", "m": "μ", "o": "ω"}


def find_definitions(text: str) -> list[Definition]:
    """Definitions of the forms `long form (SHORT)` and `SHORT (long form)`, in order of the short form's position."""
    found = []
    for bracket in _BRACKET.finditer(text):
        definition = _long_before_short(text, bracket) or _short_before_long(text, bracket)
        if definition is not None:
            found.append(definition)
    return sorted(found, key=lambda definition: (definition.short_start, definition.long_start))


def definition_at(definitions: Iterable[Definition], short: str, position: int) -> Definition | None:
    """The definition that holds for `short` at `position`: the nearest earlier one of exactly that spelling.

    A plural `s` in either is ignored only where the capitals before it agree: `AGs` is the plural of `AG`, not `AGS`.
    """
    best: Definition | None = None
    forms = {short, _singular(short)}
    for definition in definitions:
        is_same = definition.short in forms or _singular(definition.short) in forms
        if (
            is_same
            and definition.short_start <= position
            and (best is None or definition.short_start > best.short_start)
        ):
            best = definition
    return best


def _singular(short: str) -> str:
    return short[:-1] if len(short) > 2 and short.endswith("s") and not short[:-1].islower() else short


def _long_before_short(text: str, bracket: re.Match[str]) -> Definition | None:
    content = bracket.group(1)
    lead = _SHORT_LEAD.match(content)
    offset = lead.end() if lead else 0
    end_mark = _SHORT_END.search(content, offset)
    raw = content[offset : end_mark.start() if end_mark else len(content)]
    short = raw.strip(" '\"’“”")
    if not is_short_form(short):
        return None
    short_start = bracket.start(1) + offset + raw.index(short)
    window_end = bracket.start()
    window_start = _window_start(text, window_end)
    long_span = _match_long(text[window_start:window_end], short)
    if long_span is None:
        return None
    start, end = window_start + long_span[0], window_start + long_span[1]
    return Definition(short, text[start:end], short_start, short_start + len(short), start, end)


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


def is_short_form(text: str) -> bool:
    """Whether a text looks like an abbreviation: 2 to 15 characters, at most three words, and some letter of weight."""
    if not 2 <= len(text) <= 15 or _SHORT.fullmatch(text) is None or len(text.split()) > 3:
        return False
    if _ROMAN_OR_PANEL.fullmatch(text):
        return False
    if _NOT_SHORT.match(text) and not text.isupper():
        return False
    letters = [character for character in text if character.isalpha()]
    if not letters or text[0] in "-/'+." or text.endswith("-"):
        return False
    if len(text.split()) > 1 and not any(map(str.isupper, text)):
        return False
    return any(map(str.isupper, letters)) or (len(text) <= 6 and " " not in text)


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
    for find_starts in (_initial_starts, _aligned_starts):
        for attempt in attempts:
            for start in find_starts(lowered, end, attempt):
                begin = _with_prefix(window, start)
                if _is_plausible(window[begin:end], short):
                    return begin, end
    return None


def _initial_starts(window: str, end: int, characters: list[str]) -> Iterator[int]:
    """The start at which every character opens a word, in order, the last one the last word or one before it."""
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
            if skipped > 1:
                return
    yield words[position].start()


def _opens(word: str, character: str) -> bool:
    return word.startswith(
        (character, _GREEK_OF.get(character, character), _NAME_OF.get(character, character))
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
    return place


def _is_plausible(long: str, short: str) -> bool:
    """Bounds on what a short form can stand for."""
    words = _WORD.findall(long)
    size = sum(map(str.isalnum, short))
    if not words or words[0].lower() in _WEAK or len(long) <= len(short):
        return False
    if not _VERB.isdisjoint(words):
        return False
    if len(words) > min(size + 5, 2 * size) or len(long) > 12 * size + 20:
        return False
    if short.lower() in (word.lower() for word in _TOKEN.findall(long)):
        return False
    if any(map(str.isdigit, short)) and not _has_digits(short, long):
        return False
    return long.count("(") == long.count(")") and long.count("[") == long.count("]")


def _has_digits(short: str, long: str) -> bool:
    """The digits of the short form are those of the long form: IL-10 is not interleukin 1."""
    wanted = re.findall(r"\d+", short)
    present = re.findall(r"\d+", long)
    return all(number in present for number in wanted)

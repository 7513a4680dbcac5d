"""What looks like an abbreviation, and what is a number, a figure, a statistic or a word in brackets."""

from __future__ import annotations

import re

_SHORT = re.compile(r"[A-Za-z0-9Α-ω][\w+\-/'’.αβγδκ& ]{0,14}")
_NOT_SHORT = re.compile(
    r"(?:see|figs?\.?|figures?|tables?|tab\.?|eqs?\.?|equations?|refs?\.?|references?|supplement\w*|suppl\.?|ref|panel|box|section|sect\.?"
    r"|appendix|chapter|step|n|p|r|t|f|z|df|ns|vs\.?|e\.g|i\.e|video|movie|file|days?|weeks?|months?|years?|hours?|left|right|top|bottom|upper"
    r"|lower|and|or|note|min|max|mean|where|in|of|the|for|to|by|with|from|green|red|blue|black|white|grey|gray|arrow\w*|data|not|shown|control\w*"
    r"|i{1,3}|iv|vi{0,3}|ix|x)(?![\w/])",
    re.IGNORECASE,
)
_INDEX = re.compile(r"(?<=\w)\(([\w+\-]{1,4})\)")
_ROMAN_OR_PANEL = re.compile(r"[IVXivx]+|\d+[a-z]")


def is_short_form(text: str) -> bool:
    """Whether a text looks like an abbreviation: 2 to 15 characters, at most three words, and some letter of weight.

    An index may stand in brackets, as databases of abstracts write it: `FEV(1)`.
    """
    text = _INDEX.sub(r"\1", text)
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

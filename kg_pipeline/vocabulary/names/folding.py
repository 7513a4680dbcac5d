"""Folding of names and texts: case, accents, hyphens, Greek letters, possessives and British spelling.

Folding is local: every atom of a text (a run of letters, a run of digits, a Greek letter, a separator, a
punctuation mark) is folded on its own, and a separator by its two neighbours only. So a name inside a sentence
folds to the key it has alone, and a sentence is folded once and searched for names in one pass.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu", "ξ": "xi", "ο": "omicron", "π": "pi",
    "ρ": "rho", "ς": "sigma", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi",
    "ω": "omega", "ϵ": "epsilon", "ϕ": "phi", "ϑ": "theta", "ϰ": "kappa", "ß": "beta", "µ": "mu",
}  # fmt: skip
GREEK_NAMES = frozenset(GREEK.values())

_GREEK_CLASS = "".join(GREEK) + "".join(c.upper() for c in GREEK if len(c.upper()) == 1 and c not in "ßµ")
# Combining marks and soft hyphens belong to the letter before them.
_MARK = r"[\u0300-\u036f\u00ad\u200b]"
_LETTER = rf"[^\W\d_{_GREEK_CLASS}]{_MARK}*"
_ATOM = re.compile(
    rf"(?P<possessive>(?:(?<=[^\W\d_])|(?<=[^\W\d_]{_MARK})|(?<=[^\W\d_]{_MARK}{{2}}))[\s\-\u2010-\u2015\u2212_\u00ad\u200b]*['’][\s\-\u2010-\u2015\u2212_\u00ad\u200b\u0300-\u036f]*s(?![^\W_{_GREEK_CLASS}]))"
    rf"|(?P<initials>(?<![\w.])(?:[A-Za-z]\.){{2,}})"
    rf"|(?P<letters>(?:{_LETTER})+)"
    r"|(?P<digits>\d+)"
    r"|(?P<separator>[\s\-\u2010-\u2015\u2212\u00ad_]+)"
    rf"|(?P<greek>[{_GREEK_CLASS}][\u0300-\u036f\u00ad\u200b]*)"
    r"|(?P<other>.)",
    re.DOTALL,
)
# A Greek name written on to a symbol: TGFbeta1, IFNgamma, NFkappaB; the letter before it must be upper case.
_ATTACHED_GREEK = re.compile(
    r"(?<=[A-Z])(alpha|beta|gamma|delta|epsilon|zeta|theta|kappa|lambda|sigma|omega)(?=[A-Z]|$)"
)
_LEADING_GREEK = re.compile(r"^(alpha|beta|gamma|delta|kappa)(?=[A-Z]+$)")
_BRITISH = tuple(
    (re.compile(pattern), american)
    for pattern, american in (
        (r"^(tum|col|behavi|lab|fav|od)our", r"\1or"),
        (r"^oe(?=dem|soph|str|nanth)", "e"),
        (r"(?<=.)oedem", "edem"),
        (r"^foet", "fet"),
        (r"^faec", "fec"),
        (r"^paed", "ped"),
        (r"orthopaed", "orthoped"),
        (r"^aeti", "eti"),
        (r"haem", "hem"),
        (r"anaem", "anem"),
        (r"aemi(?=a|c)", "emi"),
        (r"isch?aem", "ischem"),
        (r"caec", "cec"),
        (r"aesth", "esth"),
        (r"gynaec", "gynec"),
        (r"rrhoe", "rrhe"),
        (r"pnoe(?=a|ic)", "pne"),
        (r"coeli", "celi"),
        (r"manoeuv", "maneuv"),
        (r"sulph", "sulf"),
        (r"oestr", "estr"),
        (r"leuc(?=oc|op|em|aem)", "leuk"),
        (r"fibre$", "fiber"),
        (r"(?<=cent)re$", "er"),
        (r"isation", "ization"),
        (r"(?<=[ltrni])is(e|ed|es|ing)$", r"iz\1"),
        (r"lys(e|ed|es|ing)$", r"lyz\1"),
        (r"colour", "color"),
        (r"ageing", "aging"),
        (r"^(signa|labe|mode|channe|trave|counse)ll(?=ed|ing)", r"\1l"),
    )
)
_BRITISH_HINT = re.compile(r"ae|oe|our|sulph|leuc|is[aei]|lys|bre$|tre$|ageing|elling|elled|alling")
#: Words that end like British verbs in -ise and are not: they keep their s.
_NOT_BRITISH = frozenset(
    {"exercise", "precise", "rise", "noise", "disease", "diseases", "arise", "wise", "ise", "anise"}
)


class Atom(NamedTuple):
    """A piece of a text with its offsets and its folded form; `kind` names the group of the pattern that found it."""

    kind: str
    start: int
    end: int
    folded: str


def atoms(text: str) -> Iterator[Atom]:
    """Cut a text into atoms; Greek names attached to a symbol become atoms of their own."""
    for match in _ATOM.finditer(text):
        kind = match.lastgroup or "other"
        start, end = match.span()
        surface = match[0]
        if kind == "letters":
            for part, left, right, folded in _letters(surface):
                yield Atom(part, start + left, start + right, folded)
        elif kind == "greek":
            yield Atom(kind, start, end, GREEK[surface[0].lower()])
        elif kind == "possessive":
            yield Atom(kind, start, end, "")
        elif kind == "initials":
            yield Atom("letters", start, end, surface.replace(".", "").lower())
        elif kind == "separator":
            yield Atom(kind, start, end, "\n" if "\n" in surface else " ")
        elif kind == "digits" or surface.isascii():
            yield Atom(kind, start, end, surface)
        else:
            stray = unicodedata.combining(surface) or surface == "\u200b"
            yield Atom(kind, start, end, "" if stray else unicodedata.normalize("NFKC", surface))


@lru_cache(maxsize=65_536)
def _letters(surface: str) -> tuple[Atom, ...]:
    """Atoms of a run of letters, with offsets in it."""
    end = len(surface)
    lower = surface.lower()
    if lower != surface:
        found = _ATTACHED_GREEK.search(surface) or _LEADING_GREEK.search(surface)
        if found:
            left, right = found.span()
            before = (Atom("letters", 0, left, _fold_word(surface[:left].lower())),) if left else ()
            after = (Atom("letters", right, end, _fold_word(surface[right:].lower())),) if right < end else ()
            return (*before, Atom("greek", left, right, found[0]), *after)
    return (Atom("greek" if lower in GREEK_NAMES else "letters", 0, end, _fold_word(lower)),)


def _fold_word(word: str) -> str:
    if not word.isascii():
        word = unicodedata.normalize("NFKD", word)
        word = "".join(
            GREEK.get(c, c) for c in word if not unicodedata.combining(c) and c not in "\u00ad\u200b"
        )
        word = (
            word.replace("ø", "o").replace("ł", "l").replace("æ", "ae").replace("œ", "oe").replace("đ", "d")
        )
    if len(word) > 4 and _BRITISH_HINT.search(word) and word not in _NOT_BRITISH:
        for pattern, american in _BRITISH:
            word = pattern.sub(american, word)
    return word


_WORD = frozenset({"letters", "greek"})


def separator_between(left: str | None, right: str | None) -> str:
    """How a separator between two kinds of atoms folds: gone before digits and beside punctuation, else one space."""
    if left is None or right is None or left == "other" or right == "other":
        return ""
    return "" if left in _WORD and right == "digits" else " "


def fold(text: str) -> tuple[list[Atom], list[str]]:
    """Atoms of a text without separators, and the separator text that precedes each of them in the key.

    Two atoms that touch need a separator too where one of them is Greek, so that TNFα and TNF-alpha agree.
    """
    kept: list[Atom] = []
    gaps: list[str] = []
    pending = ""
    for atom in atoms(text):
        if not atom.folded:
            continue  # a possessive, or a stray combining mark
        if atom.kind == "separator":
            pending = atom.folded
            continue
        previous = kept[-1].kind if kept else None
        touching_greek = not pending and "greek" in (previous, atom.kind) and previous is not None
        if pending == "\n":
            gap = "\n"
        elif pending or touching_greek:
            gap = separator_between(previous, atom.kind)
        else:
            gap = ""
        kept.append(atom)
        gaps.append(gap)
        pending = ""
    return kept, gaps


# Words of plain letters: most names, and folded without cutting them into atoms.
_PLAIN = re.compile(r"[A-Z]?[a-z]+(?:[ -][A-Z]?[a-z]+)*")


def normal_key(name: str) -> str:
    """Key under which a name is looked up: case, accents, hyphens, Greek letters, possessives and British spelling folded.

    >>> normal_key("TNF-α") == normal_key("TNFalpha") == normal_key("tnf alpha")
    True
    >>> normal_key("Sjögren's syndrome")
    'sjogren syndrome'
    """
    if _PLAIN.fullmatch(name) and not _ATTACHED_GREEK.search(name):
        words = name.lower().replace("-", " ")
        return " ".join(map(_fold_word, words.split(" "))) if _BRITISH_HINT.search(words) else words
    kept, gaps = fold(name)
    return "".join(gap + atom.folded for atom, gap in zip(kept, gaps, strict=True)).strip()

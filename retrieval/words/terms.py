"""Words of questions and sentences: tokens with offsets, stems, numbers, negation and direction of effect.

All comparisons of retrieval are made on these, so that a question, a quote and an answer are read alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from kg_pipeline.vocabulary.predicates import PREDICATES

_GREEK = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta", "η": "eta", "θ": "theta",
    "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "µ": "mu", "ν": "nu", "ξ": "xi", "π": "pi", "ρ": "rho",
    "σ": "sigma", "ς": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi", "ψ": "psi", "ω": "omega",
}  # fmt: skip
_TOKEN = re.compile(r"[α-ωΑ-Ωµ]|\d+(?:[.,]\d+)*|[^\W\d_α-ωΑ-Ωµ]+")
_HYPHENS = frozenset("-‐‑‒–−/")

_STOP_WORDS = """a about above across after against all also although am among an and another any anyone are as at be because been before
    being between both but by can cannot could did do does doing done due during each either else etc every few for from
    further had has have having he her here his how however i if in into is it its itself just me more most much must my
    neither no nor not of off on once one only onto or other others our out over own per please rather same she should
    since so some such tell than that the their them then there therefore these they this those through thus to together
    too toward towards under until up upon us use used using versus very via vs was we were what whats when where whereas whether which
    while who whom whose why will with within without would yes you your"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_SUFFIXES = (
    "izations", "ization", "isation", "ications", "ication", "ivities", "ivity", "ations", "ation", "atory", "ating", "ated", "ates", "ative",
    "ators", "ator", "ities", "ments", "ment", "ising", "izing", "ions", "ion", "ives", "ive", "ings", "ing", "osis", "otic", "ate", "ity", "ies", "ied",
    "ors", "or", "ers", "er", "ic", "al", "ed", "es", "s", "e", "y",
)  # fmt: skip
_SHORTEST_STEM = 4
#: Forms that no ending tells, and the words that they are forms of.
_IRREGULAR = {
    **dict.fromkeys(("lose", "loses", "losing", "lost", "losses"), "loss"),
    **dict.fromkeys(("rises", "rising", "rose", "risen"), "rise"),
    **dict.fromkeys(("falls", "falling", "fell", "fallen"), "fall"),
    **dict.fromkeys(("leads", "leading", "led"), "lead"),
    **dict.fromkeys(("binds", "binding", "bound"), "bind"),
    **dict.fromkeys(("worse", "worst"), "worsen"),
    "mice": "mouse",
}

_NEGATION = re.compile(
    r"\b(?:not(?!\s+only\b)|no(?!\.)|never|neither|nor|cannot|without|unable|lack(?:s|ed|ing)?|absen(?:t|ce)|"
    r"fail(?:s|ed|ure)?\s+to|ineffective|unrelated|unaffected|unchanged)\b|n['’]t\b",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"\b(?:may|might|could|possibl[ey]|perhaps|potentially|suggest(?:s|ed|ing)?|hypothes\w+|putative(?:ly)?|speculat\w+|"
    r"allegedly|reportedly|purportedly|supposedly|presumably|conceivably|probably|likely|"
    r"(?:alleged|assumed|believed|claimed|reputed|said|supposed|thought)\s+to)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number; `text` is lower case with Greek letters spelt out, offsets are into the text it came from."""

    text: str
    start: int
    end: int
    glued: bool  # written directly after the token before it (IL6R: r is glued to 6)
    hyphened: bool  # joined to the token before it by a hyphen or slash

    @property
    def is_number(self) -> bool:
        """Whether it is written in digits."""
        return self.text[0].isdigit()


@lru_cache(maxsize=4096)  # one question reads the same sentences along many paths
def tokenise(text: str) -> tuple[Token, ...]:
    """Words, numbers and single Greek letters in order; letters and digits are always two tokens.

    >>> [token.text for token in tokenise("IL-6 and TNFα")]
    ['il', '6', 'and', 'tnf', 'alpha']
    """
    tokens: list[Token] = []
    previous = -1
    for match in _TOKEN.finditer(text):
        word = match.group().lower()
        between = text[previous : match.start()] if previous >= 0 else " "
        tokens.append(
            Token(
                _GREEK.get(word, word),
                match.start(),
                match.end(),
                glued=between == "",
                hyphened=len(between) == 1 and between in _HYPHENS,
            )
        )
        previous = match.end()
    return tuple(tokens)


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A lower-case word without its inflection; short words and words with digits are left alone.

    >>> stem("inflammatory") == stem("inflammation"), stem("regulates") == stem("regulation")
    (True, True)
    """
    if not word.isalpha():
        return word
    word = _IRREGULAR.get(word, word)
    for suffix in _SUFFIXES:
        if suffix == "s" and word.endswith(("ss", "us", "is")):
            continue
        if word.endswith(suffix) and len(word) - len(suffix) >= _SHORTEST_STEM:
            return word.removesuffix(suffix)
    return word


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """A lower-case noun without its plural s; words in -ss, -us, -is and short ones are left alone."""
    if len(word) <= 3 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    return word[:-3] + "y" if word.endswith("ies") and len(word) > 5 else word[:-1]


#: Stems of words that only express a relation; they are compared by direction, not by spelling.
RELATION_STEMS: frozenset[str] = frozenset(
    stem(word)
    for predicate in PREDICATES.values()
    for phrase in (*predicate.words, predicate.label, predicate.inverse_label)
    for word in phrase.replace("-", " ").split()
    if word not in STOP_WORDS
)
#: Those of them that stand in the vocabulary as single words.
RELATION_VERBS: frozenset[str] = frozenset(
    stem(word) for predicate in PREDICATES.values() for word in predicate.words if " " not in word
)
_SIGNS: dict[str, int] = (
    {
        stem(word): predicate.sign
        for predicate in PREDICATES.values()
        if predicate.sign
        for word in predicate.words
        if " " not in word and "-" not in word
    }
    | {stem(word): -1 for word in ("protective", "lower", "fewer", "loss")}
    | {stem(word): 1 for word in ("higher", "greater")}
)


def content_stems(text: str) -> list[str]:
    """Stems of the words that carry meaning, in order, without stop words; numbers are kept as written."""
    return [
        stem(token.text)
        for token in tokenise(text)
        if token.text not in STOP_WORDS and (len(token.text) > 1 or token.is_number)
    ]


def topic_stems(text: str) -> list[str]:
    """As `content_stems`, without words that only express a relation and without numbers."""
    return [word for word in content_stems(text) if word not in RELATION_STEMS and not word[0].isdigit()]


def numbers(text: str) -> frozenset[str]:
    """Free-standing numbers; the digits of a name such as IL-6 or CD8 are part of the name."""
    tokens = tokenise(text)
    found = []
    for i, token in enumerate(tokens):
        following = tokens[i + 1] if i + 1 < len(tokens) else None
        if (
            token.is_number
            and not token.glued
            and not token.hyphened
            and not (following and following.glued and len(following.text) == 1)
        ):
            found.append(token.text.replace(",", "").rstrip("."))
    return frozenset(found)


_ASKS_DENIED = re.compile(
    # No relative pronoun in between: "which drugs treat lupus that does not respond" asks for what holds.
    r"^\W*(?:which|what|who|where|name|list)\b(?:(?!\b(?:that|who|whose|which)\b)[^?])*?\b(?:do|does|did|is|are|was|were|has|have|can|could|will|would)"
    r"\s*(?:not\b|n['’]t\b)",
    re.IGNORECASE,
)


def asks_what_is_denied(question: str) -> bool:
    """Whether a question asks for what does not hold ("which drugs do not treat lupus?").

    A statement that affirms the opposite would answer another question, so only denials may answer it.
    """
    return bool(_ASKS_DENIED.search(question))


def is_negated(text: str) -> bool:
    """Whether the text holds a word of denial ("not only" is none)."""
    return _NEGATION.search(text) is not None


def is_hedged(text: str) -> bool:
    """Whether the text only suggests what it says."""
    return _HEDGE.search(text) is not None


def directions(text: str) -> frozenset[int]:
    """Directions of effect its words express: +1 raises, -1 lowers."""
    return frozenset(_SIGNS[word] for token in tokenise(text) if (word := stem(token.text)) in _SIGNS)


Name = tuple[str, ...]


@lru_cache(maxsize=65536)
def name_key(name: str) -> Name:
    """Tokens of a name as `find_name` compares them."""
    return tuple(singular(token.text) for token in tokenise(name))


def name_keys(names: Iterable[str]) -> tuple[Name, ...]:
    """Distinct keys of names, longest first, names without any letter left out."""
    keys = {key for key in map(name_key, names) if any(part.isalpha() for part in key)}
    return tuple(sorted(keys, key=lambda key: (-len(key), key)))


def find_name(tokens: Sequence[Token], names: Sequence[Name]) -> tuple[int, int] | None:
    """Token range of the first occurrence of one of `names`, whole words only: IL-6 is found neither in IL-6R nor in IL-61."""
    words = [singular(token.text) for token in tokens]
    for name in names:
        width = len(name)
        for i in range(len(words) - width + 1):
            if tuple(words[i : i + width]) != name or tokens[i].glued:
                continue
            following = tokens[i + width] if i + width < len(tokens) else None
            if following and (following.glued or (following.hyphened and _is_designator(following))):
                continue
            return i, i + width
    return None


def _is_designator(token: Token) -> bool:
    """Whether a token after a hyphen makes another name of it: a number, a Greek letter or a single letter."""
    return token.is_number or len(token.text) == 1 or token.text in _GREEK.values()


def coverage(wanted: Iterable[str], offered: Iterable[str]) -> float:
    """Fraction of the distinct `wanted` that is among `offered`; 1.0 where nothing is wanted."""
    distinct = frozenset(wanted)
    return len(distinct & frozenset(offered)) / len(distinct) if distinct else 1.0

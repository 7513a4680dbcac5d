"""Forms of English verbs and nouns, as far as the words of the lexicon need them."""

from __future__ import annotations

_IRREGULAR: dict[str, tuple[str, ...]] = {
    "bind": ("binds", "bound", "binding"),
    "lead": ("leads", "led", "leading"),
    "drive": ("drives", "drove", "driven", "driving"),
    "give rise": ("gives rise", "gave rise", "given rise", "giving rise"),
    "find": ("finds", "found", "finding"),
    "arise": ("arises", "arose", "arisen", "arising"),
    "underlie": ("underlies", "underlay", "underlain", "underlying"),
    "control": ("controls", "controlled", "controlling"),
    "stem": ("stems", "stemmed", "stemming"),
    "curb": ("curbs", "curbed", "curbing"),
}


def inflections(verb: str) -> tuple[str, ...]:
    """The lemma and its forms: `inflections("reduce")` is `("reduce", "reduces", "reduced", "reducing")`."""
    if verb in _IRREGULAR:
        return (verb, *_IRREGULAR[verb])
    if verb.endswith("e"):
        return (verb, verb + "s", verb + "d", verb[:-1] + "ing")
    if verb.endswith("y") and verb[-2] not in "aeiou":
        return (verb, verb[:-1] + "ies", verb[:-1] + "ied", verb + "ing")
    third = verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh")) else "s")
    return (verb, third, verb + "ed", verb + "ing")


def singular(noun: str) -> str:
    """A lower-case noun without its plural s, for look-up in the tables above."""
    word = noun.lower()
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word

"""From a noun of the parse to the mentions it speaks of.

"TNF levels" speaks of TNF, "loss of PTEN" of PTEN with the sign turned, "the risk of stroke" of a risk, and
"EGFR promoter" of something that is not EGFR: nouns that are not listed here hide what they hold.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.nouns import (
    BLURRING,
    CELL_PROCESSES,
    CHANGES,
    COUNTERING,
    GIVEN,
    HIDING,
    LOWERED,
    PATIENTS,
    QUANTITIES,
    RAISED,
    RISKS,
    TRANSPARENT,
    TRANSPARENT_EVENTS,
    TURNING,
    WANTING,
)
from kg_pipeline.extraction.lexicon.predicate_lexicon import EVENT_NOUNS, ROLE_NOUNS
from kg_pipeline.extraction.syntax.dependency import children, conjuncts, noun, prepositional
from kg_pipeline.extraction.syntax.phrases import PHRASE_NOUNS, Phrase, phrases
from kg_pipeline.vocabulary.categories import ANATOMY, GENE, group_of

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

#: All nouns that a name may modify: "X levels", "X knockdown", "the X inhibitor".
MODIFIED = (
    TRANSPARENT | TURNING | HIDING | RISKS | BLURRING | PHRASE_NOUNS | EVENT_NOUNS.keys() | ROLE_NOUNS.keys()
)
#: Nouns behind a name that say what it is: "rs123 SNP".
_SAME_THING = TRANSPARENT | BLURRING | {"snp", "locus"}
_MAX_DEPTH = 3  # "the risk of development of symptoms of X"


@dataclass(frozen=True, slots=True)
class Argument:
    """A mention in its role: whether a noun turned its sign, or spoke of a risk of it."""

    mention: int
    token: int
    turned: bool = False
    blurred: bool = False  # "mutations in X": what they do to X is not said
    risk: int | None = None  # None: no risk; +1 raised, -1 lowered, 0 unsaid
    denied: bool = False  # "but not Y"
    quantity: bool = False  # "the production of Y"
    phrase: Phrase | None = None  # "resistance to Y": the argument is the whole phrase


def arguments(parse: Parse, token: Token, *, patients: bool = False) -> list[Argument]:
    """Mentions that the noun and those joined to it speak of; none where a noun hides them."""
    found = []
    joined = _joined(parse, token)
    for i, each in enumerate(joined):
        is_joined = i > 0 or (token.dep_ == "pobj" and token.head.dep_ == "conj")
        denied = is_joined and _is_denied(parse, each)
        shares = i + 1 < len(joined) and _shares_head(parse, each, joined[i + 1])
        found += [
            replace(argument, denied=denied, turned=argument.turned != shares)
            for argument in _resolve(parse, each, patients, 0)
        ]
    if not found:
        return found
    return list({(each.mention, each.phrase): each for each in reversed(found)}.values())[::-1]


def _joined(parse: Parse, token: Token) -> list[Token]:
    """The noun and those joined to it, also "inhibition" of "loss of X and inhibition of Y", parsed as joined to X."""
    found = conjuncts(token)
    for each in found:
        for _, thing in prepositional(each, "of"):
            found += [other for other in conjuncts(thing)[1:] if _is_parallel(parse, other)]
    return found


def _is_parallel(parse: Parse, token: Token) -> bool:
    changes = noun(token) in TURNING or noun(token) in TRANSPARENT
    return changes and parse.mention(token) is None and bool(prepositional(token, "of"))


def _shares_head(parse: Parse, token: Token, after: Token) -> bool:
    """Whether a noun that turns the sign of the next name turns this one's: "X and Y degradation"."""
    if noun(after) not in TURNING - ROLE_NOUNS.keys() or after.i != token.i + 3 or token.n_lefts:
        return False
    pair = parse.mention(token), parse.mention(after.nbor(-1))
    groups = [None if each is None else group_of(parse.sentence.mentions[each].category) for each in pair]
    return after.nbor(-1).head.i == after.i and groups == [GENE, GENE]


def is_denied_noun(token: Token) -> bool:
    """Whether "no" or "neither" stands before the noun."""
    return any(child.lower_ in ("no", "neither") for child in token.children)


def _resolve(parse: Parse, token: Token, patients: bool, depth: int) -> list[Argument]:
    mention = parse.mention(token)
    if mention is not None:
        turned = _is_wanting(token) != _is_countered(token)
        return [] if _is_cut_off(parse, token) else [Argument(mention, token.i, turned=turned)]
    if depth > _MAX_DEPTH or token.pos_ not in ("NOUN", "PROPN", "VERB", "ADJ"):
        return []
    word = noun(token)
    named = [Argument(each, i, phrase=phrase) for each, i, phrase in phrases(parse, token)]
    if named:
        return named
    if word in RISKS:
        inner = _inside(parse, token, patients, depth, frozenset({"of", "for", "to"}))
        if not inner:
            inner = [a for thing in _given_away(token) for a in _resolve(parse, thing, patients, depth + 1)]
        return [replace(argument, risk=_change(token)) for argument in inner]
    if word in TURNING:
        inner = _inside(parse, token, patients, depth, _of(word))
        return [replace(argument, turned=not argument.turned) for argument in inner]
    if word in BLURRING:
        inner = _inside(parse, token, patients, depth, frozenset({"of", "in"}))
        return [replace(argument, blurred=True) for argument in inner]
    if word in CELL_PROCESSES:
        inner = _inside(parse, token, patients, depth, frozenset({"of"}))
        if word not in TRANSPARENT:
            inner = [a for a in inner if group_of(parse.sentence.mentions[a.mention].category) == ANATOMY]
        return _turned_by(token, inner)
    if word in TRANSPARENT or word in TRANSPARENT_EVENTS:
        inner = _turned_by(token, _inside(parse, token, patients, depth, _of(word)))
        if not inner and any(
            each.tag_ == "NNS" for each in (token, *(t for _, t in prepositional(token, "of")))
        ):
            inner = _turned_by(
                token, _members(parse, token)
            )  # "the expression of several genes, including X"
        return [replace(each, quantity=True) for each in inner] if word in QUANTITIES else inner
    if patients and word in PATIENTS:
        return _inside(parse, token, patients, depth, frozenset({"with"}))
    return _members(parse, token) if token.tag_ == "NNS" and word not in HIDING else []


def _given_away(risk: Token) -> list[Token]:
    """What a risk is of where the parse gave that to the verb: "raises the risk for X", "adds to susceptibility to X"."""
    if risk.dep_ == "dobj":
        return [thing for _, thing in prepositional(risk.head, "for")]
    after = risk.right_edge.i + 1
    governor = risk.head.head if risk.dep_ == "pobj" else risk
    return [thing for preposition, thing in prepositional(governor, "for", "to") if preposition.i == after]


def _members(parse: Parse, token: Token) -> list[Argument]:
    """The members that a noun of many things is given: "several pathways, including X and Y"."""
    found = prepositional(token, "including")
    found += [
        (preposition, thing)
        for preposition, thing in prepositional(token, "as")
        if parse.doc[preposition.i - 1].lower_ == "such"
    ]
    named = [
        (parse.mention(each), each.i)
        for preposition, thing in found
        # Not "approaches targeting lipids, including X": these may be lipids.
        if not any(between.pos_ == "VERB" for between in parse.doc[token.i + 1 : preposition.i])
        for each in conjuncts(thing)
    ]
    return [Argument(mention, i) for mention, i in named if mention is not None]


def _turned_by(token: Token, inner: list[Argument]) -> list[Argument]:
    """Arguments of a noun, turned where an adjective says that there is little of it."""
    return [replace(each, turned=not each.turned) for each in inner] if _is_wanting(token) else inner


def _is_wanting(token: Token) -> bool:
    """Whether there is little of it, or it is kept from acting: "impaired X", "inhibiting X" as a subject."""
    for child in children(token, "amod"):
        is_deed = (
            child.tag_ == "VBG" and not any(True for _ in child.children) and child.i == token.left_edge.i
        )
        if child.lower_ in WANTING or (is_deed and child.lower_ in COUNTERING):
            return True
    return False


def _is_countered(token: Token) -> bool:
    """Whether the noun after it was taken for what it does: "PTEN silencing raises X"."""
    after = token.nbor() if token.i + 1 < len(token.doc) else token
    is_noun = after.dep_ == "acl" and after.head.i == token.i and not any(True for _ in after.children)
    return is_noun and after.tag_ == "VBG" and after.lower_ in TURNING


def _is_cut_off(parse: Parse, token: Token) -> bool:
    """Whether the parse tore a name from the noun it belongs to: "PTEN" of "PTEN knockdown"."""
    if token.i + 1 >= len(token.doc) or parse.units[token.i + 1].start > parse.units[token.i].end + 1:
        return False
    after = token.nbor()
    word = noun(after)
    if token.dep_ == "dobj" and after.dep_ in ("xcomp", "ccomp") and after.head.i == token.head.i:
        return not children(after, "aux", "nsubj", "mark")  # "raises TNF reactivity"
    if _is_torn_name(parse, token, after):
        return True
    belongs = word in TRANSPARENT or word in TURNING or word in HIDING
    is_clause = after.dep_ in ("ROOT", "relcl", "acl") or children(after, "nsubj", "csubj")
    return belongs and not is_clause and token.head.i != after.i


def _is_torn_name(parse: Parse, token: Token, after: Token) -> bool:
    """Whether nouns right behind a name were taken for another name of it: "leads to Muscle Fiber Transformation"."""
    last = after
    while last.dep_ in ("compound", "amod", "nmod") and last.head.i > last.i:
        last = last.head
    is_same = noun(last) in _SAME_THING
    return last.dep_ == "appos" and last.head.i == token.i and parse.mention(last) is None and not is_same


def _of(word: str) -> frozenset[str]:
    """Prepositions that name what the noun holds."""
    more = {"in"} if word in CHANGES else {"with", "to"} if word in GIVEN else set()
    return frozenset({"of", *more})


def _inside(
    parse: Parse, token: Token, patients: bool, depth: int, prepositions: frozenset[str]
) -> list[Argument]:
    for preposition, thing in prepositional(token):
        if preposition.lower_ in prepositions and not _is_place(parse, token, preposition, thing):
            held = [each for each in conjuncts(thing) if each is thing or not _is_parallel(parse, each)]
            found = [a for each in held for a in _resolve(parse, each, patients, depth + 1)]
            if found:
                return found
    modifiers = [child for child in children(token, "compound", "nmod", "amod", "poss") if child.i < token.i]
    for child in reversed(modifiers):
        if parse.mention(child) is not None:
            return [a for each in conjuncts(child) for a in _resolve(parse, each, patients, depth + 1)]
        nested = _inside(parse, child, patients, depth + 1, frozenset()) if noun(child) in TRANSPARENT else []
        if nested:
            return nested
    for child in children(token, "appos"):
        mention = parse.mention(child)
        if mention is not None and not modifiers:
            return [Argument(mention, child.i)]
    return []


def _is_place(parse: Parse, token: Token, preposition: Token, thing: Token) -> bool:
    """Whether "in" says where the named thing changes: "the BIN1 increase in brain" is one of BIN1."""
    if preposition.lower_ != "in" or noun(token) not in CHANGES:
        return False
    mention = parse.mention(thing)
    is_anatomy = mention is not None and group_of(parse.sentence.mentions[mention].category) == ANATOMY
    return is_anatomy and any(
        parse.mention(each) is not None for each in children(token, "compound", "nmod", "nsubj")
    )


def _change(token: Token) -> int:
    words = {child.lower_ for child in token.children}
    words |= {token.head.head.lower_} if token.head.lower_ in ("in", "of") else set()
    return 1 if words & RAISED else -1 if words & LOWERED else 0


def _is_denied(parse: Parse, token: Token) -> bool:
    """Whether the words before the joined noun exclude it: "but not Y", "rather than Y", "instead of Y"."""
    left = token.head.i if token.dep_ == "pobj" else token.left_edge.i
    before = [parse.doc[i].lower_ for i in range(max(0, left - 2), left + 1)]
    return "not" in before or before[:2] in (["rather", "than"], ["instead", "of"])

"""Whether a sentence denies what a trigger word says, or only suggests it.

Scope is read from the parse: cues beside the trigger, on the words that govern it ("failed to", "no evidence
that", "we hypothesise that", "whether"), and on a verb it is joined to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kg_pipeline.extraction.lexicon.word_list import word_set
from kg_pipeline.extraction.syntax.arguments import is_denied_noun
from kg_pipeline.extraction.syntax.dependency import ancestors, children, noun

if TYPE_CHECKING:
    from spacy.tokens import Token

    from kg_pipeline.extraction.syntax.sentence_parser import Parse

_NEGATIONS = frozenset({"not", "n't", "n’t", "never", "neither", "hardly", "cannot", "nor"})
#: Nouns of what would show it: "no evidence that", "there was no proof that".
_EVIDENCE = frozenset({"evidence", "proof", "indication", "data", "support"})
#: Words that say there is none, or next to none, of the evidence.
_NONE = frozenset({"no", "neither", "little", "insufficient", "scant"})
#: Subjects that nobody is: "none of the studies showed that".
_NOBODY = frozenset({"none", "nobody", "nothing", "neither"})
#: Nouns of what is believed and wrong.
_MYTHS = frozenset({"myth", "misconception", "fallacy", "misbelief"})
#: After these, "not" denies that it is the only one.
_SOLE = frozenset({"only", "just", "merely", "solely", "simply", "exclusively", "purely", "entirely"})
_FAILING_NOUNS = frozenset({"lack", "absence", "failure", "inability"})
_FAILING_ADJECTIVES = frozenset(
    {"unable", "unlikely", "insufficient", "doubtful", "improbable", "questionable", "impossible"}
)
#: Verbs that deny what they govern: "excludes a role of", "the hypothesis that … was rejected".
_EXCLUDING_VERBS = frozenset({"exclude", "refute", "disprove", "reject", "dispute", "contradict", "negate"})
#: Verbs and what they undo: "failed to inhibit", "excludes a role".
_UNDONE = {("fail", "xcomp")} | {
    (verb, label) for verb in _EXCLUDING_VERBS for label in ("dobj", "nsubjpass", "ccomp")
}
_NOMINAL = frozenset({"DET", "NOUN", "PROPN", "NUM", "ADP"})
#: What a finding is not, or is, where there is none: "the association was not significant", "was absent".
_HOLDING = frozenset(
    {"significant", "evident", "apparent", "present", "detectable", "demonstrable", "relevant"}
)
_MISSING = frozenset(
    {"absent", "insignificant", "nonsignificant", "non-significant", "undetectable", "negligible"}
)
#: Verbs that carry a denial to what they govern: "was not found to", "did not show that".
_CARRYING = word_set(
    """find show demonstrate observe detect see report seem appear suggest support indicate exist note reveal use know
    require need be have do exert identify establish confirm consider play replicate reproduce verify substantiate
    """
)
_MODALS = frozenset({"may", "might", "could", "would", "should"})
_DOUBTING_ADVERBS = word_set(
    "possibly potentially probably perhaps likely presumably putatively conceivably hypothetically maybe seemingly "
    "allegedly reportedly purportedly supposedly"
)
_DOUBTING_ADJECTIVES = word_set(
    """possible potential putative likely hypothetical presumed suspected plausible probable unclear unknown
    conceivable candidate proposed hypothesized hypothesised supposed alleged
    """
)
_DOUBTING_VERBS = word_set(
    """suggest hypothesize hypothesise speculate propose postulate appear seem believe think suspect presume expect
    assume imply predict argue conjecture hint raise claim allege
    """
)
_ASKING_VERBS = word_set(
    """investigate examine assess test evaluate explore determine ask aim seek study analyze analyse compare measure
    elucidate hypothesize characterize characterise clarify address understand want design try attempt wonder review
    """
)
_DOUBTING_NOUNS = word_set(
    """hypothesis possibility speculation suggestion assumption notion idea question aim objective purpose goal
    investigation exploration claim belief view opinion allegation
    """
)
_DOUBTING_MARKS = frozenset({"whether", "if", "unless"})
#: A clause of its own below another one: what governs the other does not govern it.
_CLAUSE_BORDERS = frozenset({"relcl", "advcl", "parataxis", "nsubj", "csubj", "appos"})


def is_question(text: str) -> bool:
    """Whether the sentence asks: nothing in it is stated."""
    return text.rstrip(" \"'”’)").endswith("?")


def is_negated(parse: Parse, trigger: Token, ends: tuple[Token, ...] = ()) -> bool:
    """Whether the sentence denies the trigger; two denials cancel out.

    `ends` are the heads of the subject and object phrases, which may hold a "no" of their own.
    """
    count = sum(is_denied_noun(token) for token in {*ends} - {trigger})
    count += _denials(trigger) + is_denied_noun(trigger)
    joined = _joined_to(trigger)
    if joined is not None:
        count += _denials(joined)
    for child, head in ancestors(trigger):
        if child.dep_ in _CLAUSE_BORDERS or parse.mention(head) is not None:
            count += _is_unproved(head)
            count += _is_missing(child, head) or _is_rejected(head)
            break
        lemma = head.lemma_.lower()
        if head.lower_ == "without":
            count += 1
        elif (lemma, child.dep_) in _UNDONE:
            count += 1 + _denials(head)
        elif noun(head) in _FAILING_NOUNS:
            count += 1 - is_denied_noun(head)
        elif head.lower_ in _FAILING_ADJECTIVES:
            count += 1 + _denials(head)
        elif child.dep_ in (
            "xcomp",
            "ccomp",
            "nsubjpass",
            "dobj",
            "attr",
            "pobj",
            "acomp",
            "acl",
            "prep",
            "oprd",
        ):
            if head.pos_ in ("VERB", "AUX") and lemma in _CARRYING:
                is_claimed = child.dep_ in ("xcomp", "acomp") or (
                    child.dep_ == "ccomp" and bool(children(child, "mark"))
                )
                claimants = children(head, "nsubj", "nsubjpass") if is_claimed else []
                count += _denials(head) + any(_is_nobody(each) for each in claimants)
            elif head.pos_ == "NOUN" and child.dep_ in ("acl", "ccomp", "prep"):
                count += _is_unproved(head)
        count += (
            any(each.lower_ in _FAILING_ADJECTIVES for each in children(head, "acomp"))
            and child.dep_ == "ccomp"
        )
        if child.dep_ == "conj":
            break
    return count % 2 == 1


def _is_unproved(head: Token) -> bool:
    """Whether a clause hangs on evidence that there is none of, or on a myth: "no evidence that", "a myth that"."""
    if noun(head) in _MYTHS:
        return True
    return noun(head) in _EVIDENCE and any(child.lower_ in _NONE for child in head.children)


def _is_nobody(subject: Token) -> bool:
    """Whether nobody and nothing is the subject: "no study has shown that"."""
    is_unproved = noun(subject) in _EVIDENCE and _is_unproved(subject)
    return subject.lower_ in _NOBODY or is_denied_noun(subject) or is_unproved


def _is_missing(finding: Token, verb: Token) -> bool:
    """Whether the verb says of its subject that there is none."""
    if finding.dep_ != "nsubj" or verb.lemma_.lower() != "be":
        return False
    said = {each.lower_ for each in children(verb, "acomp")}
    return bool(said & _MISSING) or (bool(said & _HOLDING) and _denials(verb) % 2 == 1)


def _is_rejected(claim: Token) -> bool:
    """Whether the noun is a supposition that is said to be wrong."""
    is_governed = claim.dep_ in ("nsubjpass", "dobj") and claim.head.lemma_.lower() in _EXCLUDING_VERBS
    return noun(claim) in _DOUBTING_NOUNS and is_governed and not _denials(claim.head)


def is_speculative(parse: Parse, trigger: Token) -> bool:
    """Whether the sentence suggests, supposes or asks rather than states what the trigger says."""
    joined = _joined_to(trigger)
    if any(_doubts(token) for token in (trigger, joined) if token is not None) or _awaits_proof(trigger):
        return True
    for child, head in ancestors(trigger):
        if any(mark.lower_ in _DOUBTING_MARKS for mark in children(child, "mark")):
            return True
        if child.dep_ in ("relcl", "acl", "appos") and noun(head) in _DOUBTING_NOUNS:
            return True  # "the hypothesis that": often parsed as a relative clause
        if child.dep_ == "advcl" and child.tag_ == "VBG" and not children(child, "mark"):
            if _doubts(head):
                return True  # "may inhibit Y, leading to Z": as doubtful as what it follows from
            continue
        if child.dep_ in ("nsubj", "nsubjpass") and _is_open(head):
            return True
        if child.dep_ in _CLAUSE_BORDERS or parse.mention(head) is not None:
            return False
        lemma = head.lemma_.lower()
        is_verb = head.pos_ in ("VERB", "AUX")
        if is_verb and (lemma in _DOUBTING_VERBS or lemma in _ASKING_VERBS) and child.dep_ != "conj":
            return True
        if is_verb and lemma in _EXCLUDING_VERBS and _denials(head):
            return True  # "a role of X cannot be excluded"
        if head.pos_ in ("NOUN", "PROPN") and noun(head) in _DOUBTING_NOUNS:
            return True
        if child.dep_ == "conj":
            if _joined_to(child) is None:
                return False
            continue
        if child.dep_ in (
            "xcomp",
            "ccomp",
            "acomp",
            "attr",
            "dobj",
            "nsubjpass",
            "oprd",
            "prep",
            "pobj",
            "pcomp",
            "acl",
            "agent",
        ):
            if _doubts(head):
                return True
        elif child.dep_ not in ("compound", "amod", "nmod", "poss"):
            return False
    return any(mark.lower_ in _DOUBTING_MARKS for mark in children(trigger, "mark"))


def _awaits_proof(finding: Token) -> bool:
    """Whether the next verb after a noun says that it is yet to be found out, however the clause was parsed."""
    if finding.tag_ not in ("NN", "NNS", "VBG"):
        return False
    after = finding.doc[finding.i + 1 :]
    verb = next((token for token in after if token.tag_ in ("VBZ", "VBP", "VBD", "MD")), None)
    return verb is not None and after[verb.i - finding.i :][:3].text.lower() == "yet to be"


def _is_open(verb: Token) -> bool:
    """Whether what the verb speaks of is yet to be found out: "remains to be examined", "has yet to be shown"."""
    is_waiting = verb.lemma_.lower() == "remain" or any(c.lower_ == "yet" for c in verb.subtree)
    return is_waiting and any(children(each, "auxpass") for each in children(verb, "xcomp", "ccomp"))


def _denials(token: Token) -> int:
    ended = sum(
        child.lower_ == "longer" and any(_.lower_ == "no" for _ in child.children) for child in token.children
    )
    return ended + sum(
        child.lower_ in _NEGATIONS
        and child.dep_ in ("neg", "preconj", "cc", "advmod", "det")
        and not _is_only(child)
        and not _excludes(child)
        for child in token.children
        if child.i < token.i or child.dep_ == "neg"
    )


def _is_only(token: Token) -> bool:
    return token.i + 1 < len(token.doc) and token.nbor().lower_ in _SOLE


def _excludes(denial: Token) -> bool:
    """Whether it is the noun after it that is left out: "variants of X but not of Y raise Z"."""
    is_after_but = denial.i > 0 and denial.nbor(-1).lower_ == "but"
    return is_after_but and denial.i + 1 < len(denial.doc) and denial.nbor().pos_ in _NOMINAL


def _doubts(token: Token) -> bool:
    return any(
        (child.dep_ == "aux" and child.lower_ in _MODALS)
        or (child.dep_ in ("advmod", "npadvmod") and child.lower_ in _DOUBTING_ADVERBS)
        or (child.dep_ in ("amod", "acomp") and child.lower_ in _DOUBTING_ADJECTIVES)
        for child in token.children
    )


def _joined_to(verb: Token) -> Token | None:
    """The verb whose auxiliaries this one shares: "may inhibit Y and activate Z", "did not raise or lower Y"."""
    if verb.dep_ != "conj" or children(verb, "aux", "auxpass", "nsubj", "nsubjpass"):
        return None
    head = verb.head
    by_or = any(cc.lower_ in ("or", "nor") for cc in children(head, "cc"))
    same_form = verb.tag_ == head.tag_ and verb.tag_ in ("VB", "VBN", "VBG")
    return head if by_or or same_form else None

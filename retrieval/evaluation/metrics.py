"""Metrics of question answering and retrieval, by their published definitions.

Exact match and F1 follow the official evaluation scripts of SQuAD, HotpotQA and MuSiQue; passage recall is that of the
multi-hop retrieval literature; option accuracy, alias-aware open accuracy, CountEx and the two averages are those of
the BioMedHop paper (appendix D.3). A score is between 0 and 1; tables show it in per cent.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Literal

from kg_pipeline.vocabulary.names.variants import normal_key

Convention = Literal["squad", "hotpot"]

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")
#: Answers that share no word with another one, in HotpotQA's script.
_CLOSED_ANSWERS = frozenset({"yes", "no", "noanswer"})

_LETTER = re.compile(
    r"(?:(?:the\s+)?(?:correct\s+|best\s+)?(?:answer|option|choice)(?:\s+is)?[:\s]\s*)?[(\[]?([a-z])[)\].:]*",
    re.IGNORECASE,
)
_LETTER_AND_TEXT = re.compile(r"[(\[]?([a-z])(?:[)\].:]+\s*|\s+[-\u2013]\s+)(.+)", re.IGNORECASE | re.DOTALL)
_CUE = re.compile(r"(?:answer|count|total|number)\b(?:\s+of\b[^.:;]*?)?\s*(?:is|are|=|:)\s*", re.IGNORECASE)
_UNITS = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
    "twenty",
]
_NUMBER = re.compile(
    rf"(?<![\w.-])(?:(\d{{1,3}}(?:,\d{{3}})+|\d+)(?![\w-]|\.\d)|({'|'.join(_UNITS)})(?![\w-]))", re.IGNORECASE
)


def normalise_answer(text: str) -> str:
    """Lower case, without punctuation, articles and extra blanks: SQuAD's `normalize_answer`."""
    plain = text.lower().translate(_PUNCTUATION)
    return " ".join(_ARTICLES.sub(" ", plain).split())


def exact_match(prediction: str, golds: Iterable[str]) -> float:
    """1.0 if the prediction is one of the accepted answers, after normalisation."""
    wanted = normalise_answer(prediction)
    return float(any(normalise_answer(gold) == wanted for gold in golds))


def f1(prediction: str, golds: Iterable[str], convention: Convention = "squad") -> float:
    """Best token F1 of the prediction against an accepted answer.

    `hotpot` scores a wrong yes, no or noanswer 0, whatever words it shares, and 0 where one side has no token. In
    SQuAD 2 and MuSiQue the score then says whether the other has none either.
    """
    return max((_token_f1(prediction, gold, convention) for gold in golds), default=0.0)


def _token_f1(prediction: str, gold: str, convention: Convention) -> float:
    said, wanted = normalise_answer(prediction), normalise_answer(gold)
    if convention == "hotpot" and said != wanted and {said, wanted} & _CLOSED_ANSWERS:
        return 0.0
    said_tokens, wanted_tokens = said.split(), wanted.split()
    if not said_tokens or not wanted_tokens:
        return float(convention == "squad" and said_tokens == wanted_tokens)
    common = (Counter(said_tokens) & Counter(wanted_tokens)).total()
    return 2 * common / (len(said_tokens) + len(wanted_tokens))


def holds_answer(texts: Iterable[str], golds: Iterable[str]) -> float:
    """1.0 if an accepted answer stands in one of the texts, in whole words after normalisation."""
    wanted = [f" {key} " for gold in golds if (key := normalise_answer(gold))]
    return float(any(gold in f" {normalise_answer(text)} " for text in texts for gold in wanted))


def recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """Share of the gold passages among the first `k`.

    Raises
    ------
    ValueError
        If there is no gold passage, so that a share means nothing.

    """
    wanted = set(gold)
    if not wanted:
        raise ValueError("A question without gold passages has no recall; leave it out.")
    return len(wanted.intersection(ranked[:k])) / len(wanted)


def all_recall_at(ranked: Sequence[str], gold: Collection[str], k: int) -> float:
    """1.0 if every gold passage is among the first `k`."""
    return float(recall_at(ranked, gold, k) == 1.0)


def chosen_option(prediction: str, options: Sequence[str]) -> int | None:
    """Index of the option a text chooses, by letter (`B`, `(B)`, `Answer: B`, `B. name`) or by the option's words.

    A letter with the words of another option chooses nothing, and neither does a text that fits two options.
    """
    text = prediction.strip()
    keys = [normal_key(option) for option in options]
    by_text = [index for index, key in enumerate(keys) if key == normal_key(text)]
    if len(by_text) == 1:
        return by_text[0]
    if alone := _LETTER.fullmatch(text):
        index = ord(alone[1].upper()) - ord("A")
        return index if index < len(options) else None
    if both := _LETTER_AND_TEXT.fullmatch(text):
        index = ord(both[1].upper()) - ord("A")
        others = [other for other, key in enumerate(keys) if other != index and key == normal_key(both[2])]
        return index if index < len(options) and not others else None
    return None


def option_accuracy(prediction: str, options: Sequence[str], answer: int) -> float:
    """MCQ Acc.: 1.0 if the text chooses the right option."""
    return float(chosen_option(prediction, options) == answer)


def open_accuracy(prediction: str, accepted: Iterable[str]) -> float:
    """Open Acc.: 1.0 if the prediction is an accepted name, alias or identifier after normalisation."""
    said = normal_key(prediction)
    return float(bool(said) and any(normal_key(name) == said for name in accepted))


def extract_count(text: str) -> int | None:
    """The number a text answers with: the first after "answer:", "count is", "total of … is", else the last one.

    Digits with or without thousands separators and words up to twenty are numbers; parts of names (IL-6, p53, 2.5)
    are not.
    """
    cue = None
    for cue in _CUE.finditer(text):  # noqa: B007 - the last cue counts: a text concludes at its end
        pass
    if cue is not None and (found := _NUMBER.match(text, cue.end())):
        return _value(found)
    numbers = list(_NUMBER.finditer(text))
    return _value(numbers[-1]) if numbers else None


def _value(found: re.Match[str]) -> int:
    return int(found[1].replace(",", "")) if found[1] else _UNITS.index(found[2].lower())


def count_exact(prediction: str | Sequence[str], gold: Mapping[str, Collection[str]] | int) -> float:
    """CountEx: 1.0 if the predicted count is exactly the gold one.

    Parameters
    ----------
    prediction
        A text with a number, or the predicted entities; names of one entity are collapsed before they are counted.
    gold
        The gold count, or accepted names (aliases, identifiers) by entity. A predicted list is then right only if it
        names every entity and nothing else.

    """
    if isinstance(prediction, str):
        return float(extract_count(prediction) == (gold if isinstance(gold, int) else len(gold)))
    said = {key for key in map(normal_key, prediction) if key}
    if isinstance(gold, int):
        return float(len(said) == gold)
    entity_of = {normal_key(name): entity for entity, names in gold.items() for name in (entity, *names)}
    return float({entity_of.get(key) for key in said} == set(gold))


def family_average(option: float, open_: float) -> float:
    """Avg. of a task family of BioMedHop: macro average of MCQ Acc. and Open Acc."""
    return (option + open_) / 2


def overall_average(families: Iterable[float]) -> float:
    """Overall Avg. of BioMedHop: mean of the families' scores, which are three family averages and CountEx."""
    return fmean(families)

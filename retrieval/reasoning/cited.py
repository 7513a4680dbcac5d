"""Numbered evidence as a language model gets it, and its sentences with the numbers it cites."""

from __future__ import annotations

import html
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from retrieval.answer import SentenceKind
from retrieval.evidence import Quote
from retrieval.reasoning.offers import Offer
from retrieval.reasoning.reasoner import DraftSentence
from retrieval.trace import Dropped
from retrieval.words.guard import addresses_reader

_WITHHELD = "(a sentence of the language model)"


class Reply(BaseModel):
    """Base of the replies that are asked for; what else a model adds is ignored."""

    model_config = ConfigDict(extra="ignore")


class CitedSentence(Reply):
    """A sentence and the numbers of the evidence that states it."""

    text: str
    citations: list[int]


class Synthesis(Reply):
    """Reply to the synthesis prompt."""

    answerable: bool
    verdict: Literal["yes", "no", "maybe", "none"] = "none"
    sentences: list[CitedSentence] = Field(default_factory=list)


def list_offers(offers: Sequence[Offer]) -> str:
    """The evidence as tagged, numbered data, from 1; text that cannot close the tag it stands in."""
    return "\n".join(
        f'<evidence id="{n}"{_mark(offer)}>{escaped(offer.text)}</evidence>'
        for n, offer in enumerate(offers, 1)
    )


def escaped(text: str) -> str:
    """One line of text that is no markup."""
    return html.escape(" ".join(text.split()), quote=False)


@dataclass(frozen=True, slots=True)
class Cited:
    """Sentences of a reply with their quotes, and those that cannot be used, with the reason."""

    sentences: tuple[DraftSentence, ...]
    dropped: tuple[Dropped, ...]


def read_cited(items: Iterable[CitedSentence], offers: Sequence[Offer]) -> Cited:
    """Look up what each sentence of a reply cites among the evidence that was offered."""
    sentences: list[DraftSentence] = []
    dropped: list[Dropped] = []
    for item in items:
        numbers = [number for number in dict.fromkeys(item.citations) if 1 <= number <= len(offers)]
        quotes: dict[tuple[str, int, int], Quote] = {
            quote.key: quote for n in numbers for quote in offers[n - 1].quotes
        }
        text = " ".join(item.text.split())
        if not text:
            continue
        if addresses_reader(text):
            dropped.append(Dropped("sentence", _WITHHELD, "it gives its reader instructions"))
        elif not quotes:
            dropped.append(Dropped("sentence", text, "it cites nothing that was offered"))
        else:
            inferred = any(offers[n - 1].fact for n in numbers)
            kind: SentenceKind = "inference" if inferred else "finding"
            sentences.append(DraftSentence(text, tuple(quotes.values()), kind))
    return Cited(tuple(sentences), tuple(dropped))


def _mark(offer: Offer) -> str:
    return f' note="{offer.note}"' if offer.note else ""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.extraction.llm.answer import TripleAnswer
from kg_pipeline.extraction.llm.prompts import load_prompt
from kg_pipeline.extraction.llm.triples import Passage, extract_chunk, prompt_digest
from kg_pipeline.llm.chat import Completion
from kg_pipeline.llm.structured import parse_answer
from kg_pipeline.vocabulary.predicates import PREDICATES


@dataclass
class Parrot:
    """A chat model that always says the same."""

    says: str
    asked: list[str] = field(default_factory=list)

    async def complete(self, messages, *, schema, max_tokens, purpose, choices):
        self.asked.append(messages[-1]["content"])
        return Completion(self.says, parse_answer(self.says, schema), "stop", cached=False)


def read(text: str, says: str):
    passage = Passage("PMC1", "", text, 0, len(text), ((0, len(text)),), (), ())
    return asyncio.run(extract_chunk(Parrot(says), passage))


def triple(head, predicate, tail, quote, **more):
    return TripleAnswer.model_validate(
        {"triples": [{"head": head, "predicate": predicate, "tail": tail, "quote": quote, **more}]}
    ).model_dump_json()


def test_a_denied_statement_never_becomes_a_positive_claim():
    text = "Metformin did not reduce PSA in these men."
    (kept,) = read(text, triple("Metformin", "decreases", "PSA", text)).triples
    assert kept.negated


def test_oxygen_is_no_agent_of_an_oxygen_independent_activation():
    text = "We describe oxygen-independent activation of HIF1A by succinate."
    (kept,) = read(text, triple("succinate", "activates", "HIF1A", text)).triples
    assert (kept.head.text, kept.tail.text) == ("succinate", "HIF1A")
    refused = read(text, triple("oxygen", "activates", "HIF1A", text))
    assert (refused.triples, refused.rejected[0].reason) == ((), "head_not_anchored")


def test_both_steps_of_a_causal_path_are_kept_in_their_order():
    text = "Obesity causes insulin resistance by raising free fatty acids."
    says = TripleAnswer.model_validate(
        {
            "triples": [
                {"head": "obesity", "predicate": "raises", "tail": "free fatty acids", "quote": text},
                {
                    "head": "free fatty acids",
                    "predicate": "contributes to",
                    "tail": "insulin resistance",
                    "quote": text,
                },
                {"head": "insulin resistance", "predicate": "is caused by", "tail": "obesity", "quote": text},
            ]
        }
    ).model_dump_json()
    assert [(t.head.text, t.predicate, t.tail.text) for t in read(text, says).triples] == [
        ("Obesity", "increases", "free fatty acids"),
        ("free fatty acids", "predisposes", "insulin resistance"),
        ("Obesity", "causes", "insulin resistance"),
    ]


@pytest.mark.parametrize(
    ("head", "tail", "quote"),
    [
        ("cancer cells", "drug resistance", "Evolvability is reviewed in cancer cells and in vertebrates."),
        ("cancer cells", "vertebrates", "Cancer cells evolve faster than vertebrates."),
    ],
)
def test_nothing_is_said_beyond_the_sentence(head, tail, quote):
    text = "Evolvability is reviewed in cancer cells and in vertebrates."
    extraction = read(text, triple(head, "causes", tail, quote))
    assert (extraction.triples, len(extraction.rejected)) == ((), 1)


@given(st.lists(st.integers(1, 30), min_size=1, max_size=12))
def test_halves_share_nothing_lose_no_sentence_and_end_at_single_ones(lengths):
    text = " ".join("x" * (length - 1) + "." for length in lengths)
    sentences, start = [], 0
    for length in lengths:
        sentences.append((start, start + length))
        start += length + 1
    whole = Passage("PMC1", "", text, 0, len(text), tuple(sentences), (), ())

    def leaves(passage: Passage) -> list[tuple[int, int]]:
        halves = passage.halves()
        if halves is None:
            assert len(passage.sentences) == 1
            return list(passage.sentences)
        assert halves[0].end <= halves[1].start
        return [leaf for half in halves for leaf in leaves(half)]

    assert leaves(whole) == sentences


def test_the_prompt_is_versioned_and_names_every_predicate():
    prompt = load_prompt("triples")
    assert prompt.version >= 1
    assert prompt_digest() == prompt.digest
    parrot = Parrot('{"triples": []}')
    text = "Zinc lowers fever."
    passage = Passage("PMC1", "", text, 0, len(text), ((0, len(text)),), (), ())
    asyncio.run(extract_chunk(parrot, passage))
    values = dict.fromkeys(("title", "abbreviations", "mentions", "mark", "passage"), "")
    system, _ = prompt.messages({**values, "predicates": " ".join(PREDICATES)})
    assert all(name in system["content"] for name in PREDICATES)
    assert text in parrot.asked[0]
    with pytest.raises(KeyError):
        prompt.messages({})

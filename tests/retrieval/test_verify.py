from __future__ import annotations

from dataclasses import replace

import pytest

from kg_pipeline.graph.reader import Entity
from retrieval.answers.verify import verify
from retrieval.evidence import Quote
from retrieval.reasoning.reasoner import DraftSentence
from tests.retrieval.memory_graph import MemoryGraph


def quote_of(reader: MemoryGraph, text: str) -> Quote:
    for chunk in reader.chunks_.values():
        at = chunk.text.find(text)
        if at >= 0:
            start = chunk.start + at
            return Quote(chunk.article_id, chunk.chunk_id, chunk.section_path, start, start + len(text), text)
    raise AssertionError(text)


HCQ = "Hydroxychloroquine reduced lupus flares by 50% in a trial of 120 patients."
VITAMIN = "Vitamin D did not reduce disease activity in SLE in a larger trial."
UV = "UV radiation triggers keratinocyte apoptosis in the skin."


def check(
    reader: MemoryGraph, text: str, cited: list[str], offered: list[str] | None = None
) -> tuple[list[str], tuple[int, int, int]]:
    entities: list[Entity] = list(reader.entities_.values())
    quotes = [quote_of(reader, text) for text in cited]
    pool = quotes + [quote_of(reader, text) for text in offered or []]
    kept, checks = verify(reader, [DraftSentence(text, tuple(quotes))], pool, entities)
    assert checks.offered == 1
    return [quote.text for item in kept for quote in item.quotes], (
        checks.supported,
        checks.repaired,
        checks.removed,
    )


@pytest.mark.parametrize(
    ("text", "cited", "holds"),
    [
        ("Hydroxychloroquine reduced lupus flares.", HCQ, True),
        (
            "HCQ decreases flares by 50%.",
            HCQ,
            True,
        ),  # another name of the drug, another word of the direction
        ("Hydroxychloroquine reduced lupus flares by 60%.", HCQ, False),  # number
        ("Hydroxychloroquine did not reduce lupus flares.", HCQ, False),  # denial
        ("Hydroxychloroquine increased lupus flares.", HCQ, False),  # direction
        ("Belimumab reduced lupus flares in children.", HCQ, False),  # other things
        ("Vitamin D did not reduce disease activity in systemic lupus erythematosus.", VITAMIN, True),
        ("Vitamin D reduced disease activity in systemic lupus erythematosus.", VITAMIN, False),
        ("Ultraviolet light causes apoptosis of keratinocytes.", UV, True),
        ("Paris is the capital of France.", UV, False),
    ],
)
def test_a_sentence_needs_the_words_numbers_polarity_and_direction_of_its_quote(
    lupus_reader: MemoryGraph, text: str, cited: str, holds: bool
) -> None:
    kept, counts = check(lupus_reader, text, [cited])
    assert bool(kept) is holds
    assert counts == ((1, 0, 0) if holds else (0, 0, 1))


def test_a_wrong_citation_is_replaced_by_the_offered_quote_that_supports_the_sentence(
    lupus_reader: MemoryGraph,
) -> None:
    kept, counts = check(lupus_reader, "Hydroxychloroquine reduced lupus flares by 50%.", [UV], [HCQ])
    assert kept == [HCQ]
    assert counts == (0, 1, 0)


def test_quotes_that_were_not_retrieved_do_not_count(lupus_reader: MemoryGraph) -> None:
    sentence = DraftSentence("Hydroxychloroquine reduced lupus flares.", (quote_of(lupus_reader, HCQ),))
    kept, checks = verify(
        lupus_reader, [sentence], [quote_of(lupus_reader, UV)], lupus_reader.entities_.values()
    )
    assert (kept, checks.removed) == ([], 1)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "Hydroxychloroquine cured lupus flares."},
        {"start": 0},
        {"chunk_id": "PMC1:c0"},
        {"article_id": "PMC1"},
        {"chunk_id": "nowhere"},
    ],
)
def test_quotes_that_do_not_stand_in_their_chunk_do_not_count(
    lupus_reader: MemoryGraph, change: dict[str, object]
) -> None:
    forged = replace(quote_of(lupus_reader, HCQ), **change)
    sentence = DraftSentence(forged.text, (forged,), "quote")
    kept, checks = verify(lupus_reader, [sentence], [forged], lupus_reader.entities_.values())
    assert (kept, checks.removed) == ([], 1)


def test_a_quote_must_be_the_quote_and_not_nearly_it(lupus_reader: MemoryGraph) -> None:
    sentence = DraftSentence(HCQ.replace("50%", "50 %"), (quote_of(lupus_reader, HCQ),), "quote")
    kept, _ = verify(lupus_reader, [sentence], sentence.quotes, lupus_reader.entities_.values())
    assert kept == []


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("UV radiation triggers keratinocyte apoptosis.", True),
        ("Keratinocyte apoptosis is triggered by UV radiation in the skin.", True),
        ("Keratinocyte apoptosis triggers UV radiation in the skin.", False),
        ("UV radiation is triggered by keratinocyte apoptosis in the skin.", False),
    ],
)
def test_who_acts_on_whom_must_be_as_stated(lupus_reader: MemoryGraph, text: str, holds: bool) -> None:
    kept, _ = check(lupus_reader, text, [UV])
    assert bool(kept) is holds


BELIMUMAB = "Belimumab neutralizes BAFF, a survival signal of B cells."
INTERFERON = "Type I interferon promotes systemic lupus erythematosus."


@pytest.mark.parametrize(
    ("text", "cited", "holds"),
    [
        ("Keratinocyte apoptosis leads to UV radiation.", UV, False),
        ("It is keratinocyte apoptosis that triggers UV radiation.", UV, False),
        ("It is UV radiation that triggers keratinocyte apoptosis.", UV, True),
        ("The trigger of UV radiation is keratinocyte apoptosis.", UV, False),
        ("The trigger of keratinocyte apoptosis is UV radiation.", UV, True),
        ("UV radiation results from keratinocyte apoptosis.", UV, False),
        ("UV radiation is due to keratinocyte apoptosis.", UV, False),
        ("Keratinocyte apoptosis is due to UV radiation.", UV, True),
        ("UV radiation is a result of keratinocyte apoptosis.", UV, False),
        ("Flares reduced hydroxychloroquine by 50%.", HCQ, False),
        ("BAFF blocks belimumab.", BELIMUMAB, False),
        ("BAFF, a survival signal of B cells, neutralizes belimumab.", BELIMUMAB, False),
        ("BAFF antagonizes the action of belimumab.", BELIMUMAB, False),
        ("BAFF is an inhibitor of belimumab.", BELIMUMAB, False),
        ("Belimumab is an inhibitor of BAFF.", BELIMUMAB, True),
        ("BAFF can strongly and potently neutralize belimumab.", BELIMUMAB, False),
        ("Lupus promotes type I interferon.", INTERFERON, False),
        ("SLE is promoted by type I interferon.", INTERFERON, True),
    ],
)
def test_exchanging_subject_and_object_is_found_out_however_it_is_put(
    lupus_reader: MemoryGraph, text: str, cited: str, holds: bool
) -> None:
    kept, _ = check(lupus_reader, text, [cited])
    assert bool(kept) is holds

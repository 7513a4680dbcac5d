from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.errors import BudgetExhausted
from kg_pipeline.llm.budget import Ledger, Usage, estimate_tokens
from kg_pipeline.llm.tokens import count_tokens


def test_tokens_and_cost_are_booked_by_purpose():
    ledger = Ledger(price_per_million_input=2, price_per_million_output=8)
    ledger.book("triples", Usage(calls=1, prompt_tokens=500_000, completion_tokens=250_000))
    ledger.book("answer", Usage(calls=1, prompt_tokens=500_000))
    ledger.book("answer", Usage(cached_calls=1))
    assert ledger.total == Usage(2, 1, 1_000_000, 250_000, pytest.approx(4.0))
    assert {name: usage.cost for name, usage in ledger.by_purpose.items()} == {"answer": 1.0, "triples": 3.0}


def test_requests_under_way_count_against_the_budget_until_they_end():
    ledger = Ledger(budget_tokens=1000)
    with ledger.reservation(300, 300):
        with pytest.raises(BudgetExhausted, match="1000 tokens"), ledger.reservation(300, 200):
            pytest.fail("was let through")
        with ledger.reservation(200, 200):
            pass
    with ledger.reservation(500, 500):
        pass


def test_a_failed_request_gives_its_reservation_back():
    ledger = Ledger(budget_tokens=100)
    with pytest.raises(ZeroDivisionError), ledger.reservation(50, 50):
        raise ZeroDivisionError
    with ledger.reservation(50, 50):
        pass


def test_the_cost_budget_names_its_variable():
    ledger = Ledger(price_per_million_output=1000, budget_cost=0.5)
    ledger.book("t", Usage(calls=1, completion_tokens=400))
    with pytest.raises(BudgetExhausted, match=r"budget of 0\.5 .*400 tokens .*0\.4000.*KG_LLM_BUDGET_COST"):
        ledger.reservation(0, 200).__enter__()


@given(st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), max_size=30))
def test_the_budget_is_never_overrun(requests):
    ledger = Ledger(budget_tokens=300)
    for prompt, completion in requests:
        try:
            with ledger.reservation(prompt, completion):
                ledger.book("t", Usage(calls=1, prompt_tokens=prompt, completion_tokens=completion))
        except BudgetExhausted:
            continue
    assert ledger.total.tokens <= 300


def test_the_estimate_is_on_the_safe_side():
    text = "Hydroxychloroquine lowers the interferon signature in systemic lupus erythematosus. " * 20
    assert estimate_tokens([{"role": "user", "content": text}]) >= count_tokens(text)
    assert estimate_tokens([], {"type": "json_schema", "schema": "x" * 300}) > 100

"""What a stage spent on a language model stands beside what it made."""

from pathlib import Path

import dagster as dg
import pytest

from assets.stage import spending
from kg_pipeline.llm.account import Spent, open_account
from kg_pipeline.settings import Settings, load_settings

LLM = {"KG_LLM_BASE_URL": "http://127.0.0.1:1/v1", "KG_LLM_MODEL": "m", "KG_RUN": "one"}
BUDGET = {"KG_LLM_BUDGET_TOKENS": "1000"}


def recorded(settings: Settings, uses: Spent) -> dict[str, object]:
    """Metadata of an asset that uses so much, after something else of its run did."""
    account = open_account(settings.cache, "one")
    account.book(Spent(7, 0.01))

    @dg.asset
    def asks(context: dg.AssetExecutionContext) -> None:
        with spending(context, settings):
            account.book(uses)

    with dg.DagsterInstance.ephemeral() as instance:
        assert dg.materialize([asks], instance=instance).success
        event = instance.get_latest_materialization_event(dg.AssetKey("asks"))
    assert event is not None
    assert event.asset_materialization is not None
    return {name: value.value for name, value in event.asset_materialization.metadata.items()}


def test_tokens_and_cost_of_the_stage_are_recorded(tmp_path: Path) -> None:
    settings = load_settings({**LLM, **BUDGET, "KG_HOME": str(tmp_path)})
    found = recorded(settings, Spent(120, 0.5))
    assert found["llm_tokens"] == 120
    assert found["llm_cost"] == pytest.approx(0.5)


@pytest.mark.parametrize("variables", [{}, LLM])
def test_without_a_model_or_a_budget_nothing_is_said(tmp_path: Path, variables: dict[str, str]) -> None:
    settings = load_settings({**variables, "KG_HOME": str(tmp_path)})
    assert "llm_cost" not in recorded(settings, Spent(120, 0.5))

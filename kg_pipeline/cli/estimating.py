"""`kg estimate`: what a build of a corpus with a language model would cost, before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from kg_pipeline.errors import SettingsError

if TYPE_CHECKING:
    from kg_pipeline.corpora import CorpusSpec
    from kg_pipeline.extraction.triples.llm_estimate import Estimate
    from kg_pipeline.settings import LlmSettings


def run(console: Console, corpus: str, seconds_per_call: float) -> None:
    """Bring the corpus up to its mentions, which costs nothing, and print what asking about its chunks would.

    Raises
    ------
    SettingsError
        If no language model is set.
    CorpusError
        If the corpus is not known.

    """
    from kg_pipeline.cli.building import exclusive, materialise_mentions
    from kg_pipeline.cli.readable import corpus_of_articles
    from kg_pipeline.datasets import Datasets
    from kg_pipeline.extraction.triples.llm_estimate import estimate_corpus
    from kg_pipeline.extraction.triples.stage import language_model
    from kg_pipeline.llm.chat import open_chat
    from kg_pipeline.models import require_models
    from kg_pipeline.settings import load_settings

    settings = load_settings()
    require_models(settings)
    spec = corpus_of_articles(settings, corpus)
    llm = language_model(spec, settings)
    if llm is None:
        raise SettingsError(
            f"Corpus {corpus!r} is read without a language model, which costs nothing. To estimate one, set "
            "KG_LLM_BASE_URL and KG_LLM_MODEL, and KG_LLM_PRICE_PER_MILLION_INPUT and _OUTPUT for the cost."
        )
    with exclusive(settings, corpus):
        materialise_mentions(spec, settings, console)
    with console.status("Counting tokens …"):
        found = estimate_corpus(Datasets.of(settings), corpus, open_chat(llm, settings.cache))
    console.print(_table(found, llm, seconds_per_call))
    for line in _remarks(found, llm, spec):
        console.print(line, markup=False)


def _table(found: Estimate, llm: LlmSettings, seconds_per_call: float) -> Table:
    from kg_pipeline.llm.batches import SHARE

    table = Table(title=f"Reading {found.articles} articles with {llm.model}; nothing was sent")
    for column in ("", "expected", "at most"):
        table.add_column(column, justify="left" if not column else "right")
    table.add_row("calls", f"{found.calls:,}", "")
    table.add_row("chunks answered before", f"{found.answered:,}", "")
    table.add_row("tokens in", f"{found.prompt_tokens:,}", "")
    table.add_row("tokens out", f"{found.expected_tokens:,}", f"{found.most_tokens:,}")
    costs = [found.cost(llm, tokens) for tokens in (found.expected_tokens, found.most_tokens)]
    if llm.price_per_million_input or llm.price_per_million_output:
        table.add_row("cost", *(f"{cost:,.2f}" for cost in costs))
        table.add_row("cost with the Batch API", *(f"{cost * SHARE:,.2f}" for cost in costs))
    minutes = found.minutes(llm, seconds_per_call)
    table.add_row(f"minutes, at {seconds_per_call:g} s a call", f"{minutes:,.0f}", "")
    return table


def _remarks(found: Estimate, llm: LlmSettings, spec: CorpusSpec) -> list[str]:
    from kg_pipeline.inference.community_llm import MAX_TOKENS, MOST_PAIRS
    from kg_pipeline.normalization.adjudication import MAX_TOKENS as OPINION_TOKENS

    remarks = [
        f"Hypotheses between communities add up to {MOST_PAIRS} calls of up to {MAX_TOKENS} tokens out.",
    ]
    if spec.adjudicated_pairs and spec.standardization != "egot":
        remarks.append(
            f"Opinions on pairs of names (adjudicated_pairs) add up to {spec.adjudicated_pairs:,} calls of up to "
            f"{OPINION_TOKENS} tokens out."
        )
    if not (llm.price_per_million_input or llm.price_per_million_output):
        remarks.append(
            "For the cost, set KG_LLM_PRICE_PER_MILLION_INPUT and KG_LLM_PRICE_PER_MILLION_OUTPUT."
        )
    tokens = found.prompt_tokens + found.expected_tokens
    cost = found.cost(llm, found.expected_tokens)
    if not (llm.budget_tokens or llm.budget_cost):
        remarks.append(
            "No budget is set: KG_LLM_BUDGET_TOKENS or KG_LLM_BUDGET_COST stops a build that exceeds it."
        )
    elif (llm.budget_tokens and tokens > llm.budget_tokens) or (llm.budget_cost and cost > llm.budget_cost):
        remarks.append("The budget does not suffice: a build would stop there and keep what was answered.")
    return remarks

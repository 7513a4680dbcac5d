"""Put a `RemoteSource` together from settings."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from datetime import date
from pathlib import Path

from kg_pipeline.pmc.raw import ArticleStore
from kg_pipeline.pmc.remote.backoff import RetryPolicy
from kg_pipeline.pmc.remote.cloud import CloudArticles, CloudClient
from kg_pipeline.pmc.remote.efetch import EntrezArticles
from kg_pipeline.pmc.remote.entrez import EntrezClient
from kg_pipeline.pmc.remote.europepmc import RATE as EUROPEPMC_RATE
from kg_pipeline.pmc.remote.europepmc import EuropePmcArticles, EuropePmcClient
from kg_pipeline.pmc.remote.http import Fetcher
from kg_pipeline.pmc.remote.ledger import FetchLedger
from kg_pipeline.pmc.remote.limiter import Limiter, MachineLimiter, NoLimit
from kg_pipeline.pmc.remote.search import search_all
from kg_pipeline.pmc.remote.services import ArticleService
from kg_pipeline.pmc.remote.settings import RemoteSettings
from kg_pipeline.pmc.remote.source import Found, RemoteSource
from kg_pipeline.queries import PmcQuery

_LARGEST_SET = 64 * 1024 * 1024


def open_remote(
    query: PmcQuery,
    settings: RemoteSettings,
    store: ArticleStore,
    ledger_folder: Path,
    *,
    today: Callable[[], date] = date.today,
) -> RemoteSource:
    """A source over the services that the settings choose; what it fetches goes into `store`.

    `ledger_folder` remembers what was fetched. Corpora may share it, as they share the store.
    """
    resources = contextlib.ExitStack()
    clients = _Clients(settings, resources)
    keeper = resources.enter_context(FetchLedger(ledger_folder, store))
    search = (
        _entrez_search(clients.entrez(), today)
        if settings.search == "entrez"
        else _europepmc_search(clients.europepmc())
    )
    return RemoteSource(
        query,
        search,
        _article_service(query, settings, clients),
        keeper,
        patience=settings.patience,
        resources=resources,
    )


class _Clients:
    """One client for each service, closed with `resources`."""

    def __init__(self, settings: RemoteSettings, resources: contextlib.ExitStack) -> None:
        self._settings = settings
        self._resources = resources

    def entrez(self) -> EntrezClient:
        settings = self._settings
        limiter = MachineLimiter(settings.limiter_folder, "entrez", settings.entrez_rate)
        return EntrezClient(
            self._fetcher("NCBI E-utilities", limiter),
            base_url=settings.entrez_url,
            tool=settings.tool,
            email=settings.email,
            api_key=settings.api_key.get_secret_value(),
        )

    def cloud(self) -> CloudClient:
        return CloudClient(
            self._fetcher("The PMC Cloud Service", NoLimit()), base_url=self._settings.cloud_url
        )

    def europepmc(self) -> EuropePmcClient:
        limiter = MachineLimiter(self._settings.limiter_folder, "europepmc", EUROPEPMC_RATE)
        return EuropePmcClient(
            self._fetcher("Europe PMC", limiter),
            base_url=self._settings.europepmc_url,
            email=self._settings.email,
        )

    def _fetcher(self, service: str, limiter: Limiter) -> Fetcher:
        settings = self._settings
        policy = RetryPolicy(
            tries=settings.tries,
            first_wait=settings.first_wait,
            longest_wait=settings.longest_wait,
            deadline=settings.deadline,
            seed=os.getpid(),  # so that processes do not repeat in step
        )
        fetcher = Fetcher(
            service,
            limiter=limiter,
            policy=policy,
            connections=settings.threads,
            connect_timeout=settings.connect_timeout,
            read_timeout=settings.read_timeout,
            secrets=(settings.api_key.get_secret_value(), settings.email),
            user_agent=settings.tool,
            max_bytes=_LARGEST_SET,
            trust_environment=settings.trust_environment,
        )
        return self._resources.enter_context(fetcher)


def _article_service(query: PmcQuery, settings: RemoteSettings, clients: _Clients) -> ArticleService:
    if settings.articles == "cloud":
        return CloudArticles(clients.cloud(), open_access=query.open_access, threads=settings.threads)
    if settings.articles == "entrez":
        threads = min(3, settings.threads)  # more would wait for the rate limit
        return EntrezArticles(
            clients.entrez(), open_access=query.open_access, batch=settings.batch, threads=threads
        )
    return EuropePmcArticles(clients.europepmc(), threads=min(4, settings.threads))


def _entrez_search(client: EntrezClient, today: Callable[[], date]) -> Callable[[PmcQuery], Found]:
    def search(query: PmcQuery) -> Found:
        numbers: set[int] = set()
        warnings: dict[str, None] = {}
        for term in query.entrez_terms():
            result = search_all(client, term, today=today(), at_most=query.max_articles)
            numbers.update(result.numbers)
            warnings.update(dict.fromkeys(result.warnings))
        return Found(_names(numbers, query.max_articles), tuple(warnings))

    return search


def _europepmc_search(client: EuropePmcClient) -> Callable[[PmcQuery], Found]:
    def search(query: PmcQuery) -> Found:
        numbers = {
            int(record.pmcid.removeprefix("PMC"))
            for term in query.europepmc_terms()
            for record in client.search(term)
        }
        return Found(_names(numbers, query.max_articles))

    return search


def _names(numbers: set[int], at_most: int | None) -> tuple[str, ...]:
    """PMCIDs of the highest numbers, in ascending order."""
    chosen = sorted(numbers, reverse=True)[:at_most]
    return tuple(f"PMC{number}" for number in reversed(chosen))

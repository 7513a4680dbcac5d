"""The services of a corpus that is a query, as the settings of this machine reach them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kg_pipeline.pmc.raw import ArticleStore

if TYPE_CHECKING:
    from kg_pipeline.pmc.remote.settings import RemoteSettings
    from kg_pipeline.pmc.remote.source import RemoteSource
    from kg_pipeline.queries import PmcQuery
    from kg_pipeline.settings import Settings


def open_corpus(query: PmcQuery, settings: Settings) -> RemoteSource:
    """The source of a query; what it fetches goes into the store that all corpora share."""
    from kg_pipeline.pmc.remote.opening import open_remote

    # Beside the articles: whoever deletes those deletes what was known of them, too.
    return open_remote(query, remote_settings(settings), ArticleStore.of(settings), settings.raw)


def remote_settings(settings: Settings) -> RemoteSettings:
    """Addresses, identity and bounds; what the settings leave open keeps its default."""
    from kg_pipeline.pmc.remote.settings import RemoteSettings

    pmc = settings.pmc
    addresses: dict[str, Any] = {
        "entrez_url": pmc.entrez_url,
        "cloud_url": pmc.cloud_url,
        "europepmc_url": pmc.europepmc_url,
    }
    return RemoteSettings(
        **{name: address for name, address in addresses.items() if address},
        limiter_folder=_limits(),
        email=pmc.email.get_secret_value(),
        api_key=pmc.api_key,
        search=pmc.search,
        articles=pmc.articles,
        threads=pmc.threads,
        requests_per_second=pmc.requests_per_second,
    )


def _limits() -> Path:
    """One folder a user and machine, whatever the workspace: NCBI counts the requests of an address."""
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "kg-pipeline" / "limits"

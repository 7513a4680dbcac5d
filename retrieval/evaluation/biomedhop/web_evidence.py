"""The web as a source of evidence: searched and recorded while items are built, replayed while methods answer them.

"Experiments use the recorded evidence bundle rather than unlogged live search" (section D.2): what methods are shown as the
web is what the items' own searches found, all of them together, whatever item they were made for.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from kg_pipeline.errors import SettingsError
from retrieval.evaluation.biomedhop.evidence import attach_web
from retrieval.evaluation.biomedhop.items import EvidenceUnit, Item
from retrieval.web import Bundle, Channel, ClinicalTrials, EuropePmc, Recorded, WebUnit
from retrieval.words.terms import content_stems

#: Search services by the name that a command line gives them.
SERVICES: Mapping[str, Callable[[], Channel]] = MappingProxyType(
    {"europe-pmc": EuropePmc, "clinical-trials": ClinicalTrials}
)


def search_web(items: Sequence[Item], services: Sequence[str], folder: Path) -> list[Item]:
    """Items with what services find for their hops; searches are kept in a folder and never made twice.

    Raises
    ------
    SettingsError
        If there is no service of a name.
    WebUnavailable
        If a service cannot be reached.

    """
    if unknown := [name for name in services if name not in SERVICES]:
        raise SettingsError(
            f"There is no search service {', '.join(unknown)}; use some of {', '.join(SERVICES)}."
        )
    bundle = Bundle(folder)
    return asyncio.run(_search(items, [Recorded(name, bundle, SERVICES[name]()) for name in services]))


async def _search(items: Sequence[Item], channels: Sequence[Channel]) -> list[Item]:
    """One search after the other, as services ask of those who search them."""
    found = []
    for item in items:
        for channel in channels:
            item = await attach_web(item, channel)
        found.append(item)
    return found


class ItemsWeb:
    """A channel over everything that the searches of some items found."""

    name = "recorded web"

    def __init__(self, items: Sequence[Item]) -> None:
        units = {
            (unit.article_id, unit.text): unit
            for item in items
            for unit in item.evidence
            if unit.source == "web"
        }
        self._units = [(unit, frozenset(content_stems(unit.text))) for _, unit in sorted(units.items())]

    def __len__(self) -> int:
        return len(self._units)

    async def search(self, query: str, limit: int) -> list[WebUnit]:
        """Units that share words with the query, those that share most first."""
        wanted = content_stems(query)
        shared = Counter({n: len(words.intersection(wanted)) for n, (_, words) in enumerate(self._units)})
        best = sorted((n for n, count in shared.items() if count), key=lambda n: (-shared[n], n))
        return [self._record(self._units[n][0], query) for n in best[:limit]]

    def _record(self, unit: EvidenceUnit, query: str) -> WebUnit:
        return WebUnit(
            channel=self.name,
            query=query,
            retrieved=unit.retrieved,
            address=unit.address,
            record_id=unit.article_id,
            title="",
            text=unit.text,
            start=0,
            end=len(unit.text),
        )


def require_web(web: ItemsWeb, sources: Collection[str]) -> None:
    """Refuse to show the web where nothing of it was recorded: the figures would pass for those of a search.

    Raises
    ------
    SettingsError
        If the web is among the sources and no item has a record of it.

    """
    if "web" in sources and not len(web):
        raise SettingsError(
            "These items hold nothing from the web, so no condition can show it. Build them with --web europe-pmc."
        )

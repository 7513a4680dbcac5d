"""Articles from E-utilities, many a request, joined by id."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kg_pipeline.errors import ServiceRefused, ServiceUnavailable
from kg_pipeline.pmc.remote.articles import failed_article, recall, split_set
from kg_pipeline.pmc.remote.entrez import EntrezClient
from kg_pipeline.pmc.remote.outcomes import Fetched, Listed, Wanted
from kg_pipeline.pmc.remote.parallel import ordered_map
from kg_pipeline.pmc.remote.services import Keeper

#: Articles a request that NCBI serves well.
LARGEST_BATCH = 50
#: Answers to a request that is too much, or wrong for one of its ids.
_SPLIT = frozenset({400, 413, 414})


class EntrezArticles:
    """`efetch` as an `ArticleService`.

    With `open_access`, articles that are flagged as outside of the open access subset are `not_open`.

    It serves the newest version only and tells neither versions nor licences before an article is fetched, so a
    listing from it cannot find what changed; use the Cloud Service for that.
    """

    name = "entrez"

    def __init__(
        self, client: EntrezClient, *, open_access: bool = True, batch: int = 30, threads: int = 3
    ) -> None:
        self._client = client
        self._open_access = open_access
        self._batch = max(1, min(batch, LARGEST_BATCH))
        self._threads = threads

    def look_up(self, wanted: Sequence[Wanted]) -> Iterator[Listed]:
        """See `ArticleService`; nothing is asked, every article is taken to be there."""
        for one in wanted:
            yield Listed(one.pmcid, one.version, "ok", source_ref=one.pmcid)

    def fetch(self, wanted: Sequence[Wanted], keeper: Keeper) -> Iterator[Fetched]:
        """See `ArticleService`."""
        batches = [wanted[start : start + self._batch] for start in range(0, len(wanted), self._batch)]

        def run(batch: Sequence[Wanted]) -> list[Fetched]:
            recalled = {one: recall(keeper, self.name, one, open_access=self._open_access) for one in batch}
            known = {one: article for one, article in recalled.items() if article is not None}
            missing = {one.pmcid: one for one in batch if one not in known}
            got = self._fetch_batch(list(missing.values()))
            kept = {pmcid: keeper.keep(self.name, article) for pmcid, article in got.items()}
            return [known[one] if one in known else _version(kept[one.pmcid], one) for one in batch]

        for articles in ordered_map(run, batches, threads=self._threads):
            yield from articles

    def _fetch_batch(self, batch: Sequence[Wanted]) -> dict[str, Fetched]:
        """One outcome for each PMCID of the batch. A batch that fails because of some of its ids is halved."""
        if not batch:
            return {}
        try:
            answer = self._client.fetch_set([one.number for one in batch])
        except (ServiceRefused, ServiceUnavailable) as error:
            if not _is_of_one(error):
                return _failed(batch, str(error))
            if len(batch) == 1:
                return {batch[0].pmcid: failed_article(batch[0], error)}
            return self._halves(batch)
        entries = split_set(answer, open_access=self._open_access)
        got = {one.pmcid: entries[one.pmcid] for one in batch if one.pmcid in entries}
        for one in batch:
            if one.pmcid in got:
                continue
            if len(batch) > 1:
                got |= self._fetch_batch([one])
            else:
                reason = "the answer holds neither the article nor an error about it"
                got[one.pmcid] = Fetched(one.pmcid, one.version, "failed", reason)
        return got

    def _halves(self, batch: Sequence[Wanted]) -> dict[str, Fetched]:
        middle = len(batch) // 2
        return self._fetch_batch(batch[:middle]) | self._fetch_batch(batch[middle:])


def _is_of_one(error: ServiceRefused | ServiceUnavailable) -> bool:
    """Whether one id of the batch may be to blame."""
    return error.status in _SPLIT if isinstance(error, ServiceRefused) else error.is_malformed


def _failed(batch: Sequence[Wanted], reason: str) -> dict[str, Fetched]:
    """All of a batch failed, in one request."""
    return {
        one.pmcid: Fetched(one.pmcid, one.version, "failed", reason, is_service_failure=number == 0)
        for number, one in enumerate(batch)
    }


def _version(article: Fetched, wanted: Wanted) -> Fetched:
    """The article under the version asked for, or why that cannot be had."""
    if wanted.version is None or article.version in {None, wanted.version}:
        return article if article.version is not None else replace(article, version=wanted.version)
    reason = f"E-utilities serve version {article.version} of it only"
    return Fetched(wanted.pmcid, wanted.version, "not_found", reason)

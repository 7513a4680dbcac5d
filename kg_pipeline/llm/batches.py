"""Many requests in one file by OpenAI's Batch API: half the price, answered within a day.

Answers go into the cache of the chat model, so whoever asks afterwards finds them there; what a batch leaves
unanswered is simply not there. Each batch has a file beside the cache that is written *before* it is created, and
carries its digest as metadata: a run that was killed at any moment finds its batches again and pays for none twice.
Those of the same model are waited for; those of another one, and all where no batches are wanted any more, are
cancelled, and what they have answered by then is kept. Either is announced before it may take hours.
"""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from kg_pipeline.errors import BudgetExhausted, LlmUnavailable
from kg_pipeline.files import write_text
from kg_pipeline.fingerprint import digest
from kg_pipeline.llm.budget import estimate_tokens
from kg_pipeline.llm.failures import explain
from kg_pipeline.llm.structured import Question
from kg_pipeline.llm.transport import without_password

if TYPE_CHECKING:
    from openai import OpenAI

    from kg_pipeline.llm.chat import ChatModel
    from kg_pipeline.settings import LlmSettings

_LOG = logging.getLogger(__name__)

#: Share of the price that a batch costs.
SHARE = 0.5
POLL_SECONDS = 30.0
#: Of one batch: the API takes 50,000 requests and 200 MB, and a request with its schema has about 10 kB.
_MOST_REQUESTS = 10_000
_ENDPOINT: Final = "/v1/chat/completions"
_MARK = "kg_batch"
_ENDED = frozenset({"completed", "failed", "expired", "cancelled"})
#: HTTP status of a batch that cannot be cancelled because it has ended.
_CONFLICT = 409


@dataclass(frozen=True, slots=True)
class Outcome:
    """Answers that were kept, and requests without one: failed, unreadable, or beyond the budget."""

    answered: int
    unanswered: int


@dataclass(frozen=True, slots=True)
class _Part:
    """A batch as it is remembered; `batch_id` is empty until the endpoint has named it."""

    digest: str
    model: str
    requests: int
    batch_id: str = ""


@dataclass(frozen=True)
class Batches:
    """Requests of one kind to a chat model: questions, with one shape and length of the answers.

    `folder` holds the files of the batches under way; one folder is used by one process at a time. `announce` is told
    what becomes of batches that an earlier run left.
    """

    chat: ChatModel
    settings: LlmSettings
    folder: Path
    schema: type[BaseModel]
    max_tokens: int
    purpose: str
    announce: Callable[[str], None] = _LOG.warning
    sleep: Callable[[float], None] = time.sleep

    def answer(self, requests: Iterable[Question]) -> Outcome:
        """Have requests answered, after the batches that an earlier run left; returns when all are done.

        Raises
        ------
        LlmUnavailable
            If the endpoint cannot be reached or has no Batch API.

        """
        asked: list[str] = []
        with self._explained(), self._client() as client, ExitStack() as held:
            self._settle(client, self.settings.model)
            parts: list[_Part] = []
            fresh = (each for each in requests if not self._is_answered(each))
            while portion := list(islice(fresh, _MOST_REQUESTS)):
                asked += [self._key(each) for each in portion]
                affordable = self._affordable(portion)
                if affordable:
                    held.enter_context(self._reserved(affordable))
                    parts.append(self._create(client, affordable))
            for part in parts:
                self._collect(client, part)
        answered = sum(self.chat.has_answer(key) for key in asked)
        return Outcome(answered, len(asked) - answered)

    def cancel(self) -> None:
        """Cancel the batches that an earlier run left, and keep what they have answered; sends nothing if there are none.

        Raises
        ------
        LlmUnavailable
            If the endpoint cannot be reached or has no Batch API.

        """
        if left_batches(self.folder):
            with self._explained(), self._client() as client:
                self._settle(client, wanted_model=None)

    def _settle(self, client: OpenAI, wanted_model: str | None) -> None:
        """Wait for the batches of earlier runs that are of the wanted model, and cancel the others."""
        for part in self._remembered(client):
            what = (
                f"batch {part.batch_id} ({part.requests} requests to {part.model}), which an earlier run left"
            )
            if part.model == wanted_model:
                self.announce(f"Waiting for {what}. It may take up to a day; its answers are paid for once.")
            else:
                self.announce(f"Cancelling {what}. What it has answered so far is kept.")
                self._cancel(client, part)
            self._collect(client, part)

    def _cancel(self, client: OpenAI, part: _Part) -> None:
        from openai import APIStatusError

        try:
            client.batches.cancel(part.batch_id)
        except APIStatusError as error:
            if error.status_code != _CONFLICT:
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        from openai import OpenAIError

        try:
            yield
        except OpenAIError as error:
            failure = explain(error, self.settings)
            raise LlmUnavailable(
                f"{failure.message} If the endpoint has no Batch API, unset KG_LLM_BATCH."
            ) from error

    def _client(self) -> OpenAI:
        from openai import OpenAI

        address, headers = without_password(self.settings.base_url)
        return OpenAI(
            base_url=address,
            default_headers=headers,
            api_key=self.settings.api_key.get_secret_value(),
            timeout=self.settings.timeout_seconds,
        )

    def _key(self, question: Question) -> str:
        return self.chat.request_key(question, schema=self.schema, max_tokens=self.max_tokens)

    def _is_answered(self, question: Question) -> bool:
        return self.chat.has_answer(self._key(question))

    def _payload(self, question: Question) -> dict[str, Any]:
        return self.chat.payload(question, schema=self.schema, max_tokens=self.max_tokens)

    def _affordable(self, requests: Sequence[Question]) -> Sequence[Question]:
        """As many of the first requests as fit into the budget at their longest; halved until they do."""
        count = len(requests)
        while count:
            try:
                with self._reserved(requests[:count]):
                    return requests[:count]
            except BudgetExhausted:
                count //= 2
        return []

    def _reserved(self, requests: Sequence[Question]) -> AbstractContextManager[None]:
        payloads = (self._payload(each) for each in requests)
        prompt = sum(estimate_tokens(each["messages"], each.get("response_format")) for each in payloads)
        return self.chat.ledger.reservation(prompt, self.max_tokens * len(requests), share=SHARE)

    def _create(self, client: OpenAI, requests: Sequence[Question]) -> _Part:
        keys = [self._key(each) for each in requests]
        lines = (
            json.dumps({"custom_id": key, "method": "POST", "url": _ENDPOINT, "body": self._payload(each)})
            for key, each in zip(keys, requests, strict=True)
        )
        content = "\n".join(lines).encode()
        part = _Part(digest(self.settings.model, keys)[:32], self.settings.model, len(keys))
        self._remember(part)
        file = client.files.create(file=(f"{part.digest}.jsonl", io.BytesIO(content)), purpose="batch")
        # Not tried again by itself: an answer that was lost on the way may have created the batch already.
        batch = client.with_options(max_retries=0).batches.create(
            input_file_id=file.id,
            endpoint=_ENDPOINT,
            completion_window="24h",
            metadata={_MARK: part.digest},
        )
        part = replace(part, batch_id=batch.id)
        self._remember(part)
        return part

    def _collect(self, client: OpenAI, part: _Part) -> None:
        """Wait for a batch, keep its answers and forget it."""
        batch = client.batches.retrieve(part.batch_id)
        while batch.status not in _ENDED:
            self.sleep(POLL_SECONDS)
            batch = client.batches.retrieve(part.batch_id)
        if batch.output_file_id:  # an expired or cancelled batch has one too, with what was answered in time
            for line in client.files.content(batch.output_file_id).text.splitlines():
                self._keep(json.loads(line))
        self._file(part).unlink(missing_ok=True)

    def _keep(self, row: Mapping[str, Any]) -> None:
        response = row.get("response") or {}
        if response.get("status_code") == 200 and isinstance(response.get("body"), dict):
            self.chat.keep(
                str(row["custom_id"]),
                response["body"],
                schema=self.schema,
                purpose=self.purpose,
                share=SHARE,
            )

    def _remembered(self, client: OpenAI) -> list[_Part]:
        """Batches of earlier runs; one whose creation was cut short is looked for by its digest, or forgotten."""
        parts = []
        for path in left_batches(self.folder):
            part = _Part(**json.loads(path.read_text(encoding="utf-8")))
            if not part.batch_id:
                named = [
                    batch
                    for batch in client.batches.list()
                    if (batch.metadata or {}).get(_MARK) == part.digest
                ]
                if not named:
                    path.unlink()
                    continue
                part = replace(part, batch_id=named[0].id)
            parts.append(part)
        return parts

    def _remember(self, part: _Part) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        write_text(self._file(part), json.dumps(asdict(part)))

    def _file(self, part: _Part) -> Path:
        return self.folder / f"{part.digest}.json"


def left_batches(folder: Path) -> list[Path]:
    """The files of batches that are under way, or that a run which was killed left."""
    return sorted(folder.glob("*.json"))

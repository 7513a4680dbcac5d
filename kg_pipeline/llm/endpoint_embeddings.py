"""Embeddings from an OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from kg_pipeline.errors import LlmRefused, ModelError
from kg_pipeline.llm.budget import estimate_tokens
from kg_pipeline.llm.transport import NotAccepted, Transport
from kg_pipeline.schema import EMBEDDING_DIMENSIONS

if TYPE_CHECKING:
    from kg_pipeline.settings import LlmSettings

Matrix = npt.NDArray[np.float32]
_BATCH = 64


class EndpointEmbedder:
    """An embedding model of an endpoint; implements `kg_pipeline.llm.embeddings.Embedder`.

    A model that can shorten its vectors (the `dimensions` parameter) is asked to where its own are longer.
    """

    def __init__(self, settings: LlmSettings, model: str, transport: Transport | None = None) -> None:
        self.name = f"endpoint:{model}"
        self.dimensions = EMBEDDING_DIMENSIONS
        self._model = model
        self._base_url = settings.base_url
        self._transport = transport or Transport(settings)
        self._shortens = False

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of unit length for each text, in order. May also be called where an event loop is running.

        Raises
        ------
        ModelError
            If the model gives vectors of another length and cannot shorten them.
        LlmError
            If the endpoint fails.

        """
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(asyncio.run, self._embed(list(texts))).result()

    async def _embed(self, texts: list[str]) -> Matrix:
        batches = [texts[first : first + _BATCH] for first in range(0, len(texts), _BATCH)]
        # The first tells whether the vectors must be shortened.
        parts = [await self._embed_batch(batches[0])]
        parts += await asyncio.gather(*map(self._embed_batch, batches[1:]))
        rows = np.vstack(parts)
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        unit: Matrix = np.divide(rows, norms, out=np.zeros_like(rows), where=norms > 0)
        return unit

    async def _embed_batch(self, texts: list[str]) -> Matrix:
        rows = await self._request(texts)
        if rows.shape[1] != self.dimensions and not self._shortens:
            self._shortens = True
            try:
                rows = await self._request(texts)
            except NotAccepted:
                self._shortens = False
        if rows.shape[1] != self.dimensions:
            raise ModelError(
                f"The embedding model {self._model!r} gives vectors of {rows.shape[1]} numbers; a graph holds "
                f"{self.dimensions}. Set KG_EMBEDDING_MODEL to a model with {self.dimensions} dimensions, or to minilm."
            )
        return rows

    async def _request(self, texts: list[str]) -> Matrix:
        payload: dict[str, Any] = {"model": self._model, "input": texts, "encoding_format": "float"}
        if self._shortens:
            payload["dimensions"] = self.dimensions
        tokens = estimate_tokens([{"content": text} for text in texts])
        reply = await self._transport.send(
            "embeddings", payload, prompt_tokens=tokens, max_tokens=0, purpose="embeddings"
        )
        return _rows(reply.body, len(texts), f"The embedding model {self._model!r}")


def _rows(body: Mapping[str, Any], expected: int, who: str) -> Matrix:
    """Vectors of a response body, in the order of its `index` fields."""
    try:
        items = sorted(body["data"], key=lambda item: item["index"])
        rows = np.asarray([item["embedding"] for item in items], dtype=np.float32)
    except (KeyError, TypeError, ValueError):
        rows = np.zeros((0, 0), dtype=np.float32)
    if rows.ndim != 2 or rows.shape[0] != expected or not np.isfinite(rows).all():
        raise LlmRefused(f"{who} did not give one vector of finite numbers for each of {expected} texts.")
    return rows

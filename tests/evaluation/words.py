"""An embedder without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from kg_pipeline.schema import EMBEDDING_DIMENSIONS
from retrieval.words.terms import content_stems


class Words:
    """Hashed bags of stems in as many dimensions as the product's models have."""

    name = "words"
    dimensions = EMBEDDING_DIMENSIONS

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in content_stems(text) or ["·"]:
                row[int(hashlib.sha256(word.encode()).hexdigest()[:8], 16) % self.dimensions] += 1.0
            row /= np.linalg.norm(row)
        return rows

"""What a method of retrieval works with: the graph version, the models and the settings of one question."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from kg_pipeline.graph.reader import GraphReader, Vector
from kg_pipeline.llm.embeddings import Embedder, Matrix
from retrieval.answers.verify import VerifySettings
from retrieval.passages.sentences import Splitter
from retrieval.reasoning.abstain import AbstentionSettings
from retrieval.reasoning.reasoner import Reasoner
from retrieval.search import SearchSettings

_CACHED_TEXTS = 4096


class CachedEmbedder:
    """An embedder that remembers vectors of recent texts; one question embeds the same texts many times."""

    def __init__(self, embedder: Embedder, size: int = _CACHED_TEXTS) -> None:
        self._embedder = embedder
        self._size = size
        self._vectors: OrderedDict[str, Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One unit row for each text, in order."""
        with self._lock:
            known = {text: self._vectors[text] for text in texts if text in self._vectors}
        missing = list(dict.fromkeys(text for text in texts if text not in known))
        if missing:
            known |= dict(zip(missing, self._embedder.embed(missing), strict=True))
            with self._lock:
                for text in texts:
                    self._vectors[text] = known[text]
                    self._vectors.move_to_end(text)
                while len(self._vectors) > self._size:
                    self._vectors.popitem(last=False)
        if not texts:
            return np.zeros((0, self.dimensions), dtype=np.float32)
        return np.stack([known[text] for text in texts])

    def vector(self, text: str) -> Vector:
        """The unit vector of one text."""
        vector: Vector = self.embed([text])[0]
        return vector


@dataclass(frozen=True, slots=True)
class Context:
    """One graph version with the models that read it; immutable, so that many questions can share it."""

    reader: GraphReader
    embedder: CachedEmbedder
    split: Splitter
    reasoner: Reasoner  # reads by the same reader: change both with `over`
    search: SearchSettings = field(default_factory=SearchSettings)
    abstention: AbstentionSettings = field(default_factory=AbstentionSettings)
    verification: VerifySettings = field(default_factory=VerifySettings)

    def over(self, reader: GraphReader) -> Context:
        """The same models over another reader, the reasoner's own look-ups included."""
        return replace(self, reader=reader, reasoner=self.reasoner.over(reader))

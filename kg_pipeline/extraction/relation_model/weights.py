"""The trained weights: linear classifiers over hashed features, in one NumPy archive without pickled objects.

`scripts/train_relations.py` makes the archive. A classifier with one column of weights is binary and its probability
is calibrated (Platt scaling on held-out abstracts); one with more columns is multinomial.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import NDArray

from kg_pipeline.errors import ModelError

WEIGHTS_FILE = Path(__file__).parent / "data" / "relations.npz"
_PARTS = ("hashes", "weights", "bias", "labels", "scale")

Rows = Sequence[Sequence[str]]


@dataclass(frozen=True, slots=True)
class Classifier:
    """Weights of one linear classifier.

    `hashes` are sorted; row i of `weights` belongs to the feature with hash i, its columns to `labels`. `scale` is
    the slope and the offset by which a score is scaled before it becomes a probability.
    """

    labels: tuple[str, ...]
    hashes: NDArray[np.uint32]
    weights: NDArray[np.float32]
    bias: NDArray[np.float32]
    scale: tuple[float, float] = (1.0, 0.0)

    def scores(self, rows: Rows) -> NDArray[np.float32]:
        """Scores of rows of features, one column a label; features that are not known count nothing."""
        lengths = [len(row) for row in rows]
        total = np.zeros((len(rows), self.weights.shape[1]), np.float32)
        if sum(lengths):
            asked = np.fromiter((feature_hash(f) for row in rows for f in row), np.uint32, sum(lengths))
            places = np.minimum(np.searchsorted(self.hashes, asked), len(self.hashes) - 1)
            known = self.hashes[places] == asked
            of_row = np.repeat(np.arange(len(rows)), lengths)[known]
            np.add.at(total, of_row, self.weights[places[known]])
        return total + self.bias

    def probabilities(self, rows: Rows) -> NDArray[np.float32]:
        """Probability of each label; of a binary classifier that of its one label."""
        scores = self.scores(rows) * self.scale[0] + self.scale[1]
        if len(self.labels) == 1:
            return np.asarray(1 / (1 + np.exp(-scores)), np.float32)
        powers = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(powers / powers.sum(axis=1, keepdims=True), np.float32)


def feature_hash(feature: str) -> int:
    """The number that stands for a feature."""
    return zlib.crc32(feature.encode())


@cache
def load_classifiers(path: Path = WEIGHTS_FILE) -> Mapping[str, Classifier]:
    """The classifiers of an archive by name, read once a process.

    Raises
    ------
    ModelError
        If the archive is missing, damaged or incomplete.

    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            arrays = {name: archive[name] for name in archive.files}
        names = sorted({name.partition("/")[0] for name in arrays})
        return {name: _classifier(*(arrays[f"{name}/{part}"] for part in _PARTS)) for name in names}
    except (OSError, EOFError, ValueError, KeyError, BadZipFile) as error:
        raise ModelError(
            f"The weights of the relation model, {path}, cannot be read ({error}). Reinstall kg-pipeline."
        ) from error


def _classifier(
    hashes: NDArray[np.uint32],
    weights: NDArray[np.float16],
    bias: NDArray[np.float32],
    labels: NDArray[np.str_],
    scale: NDArray[np.float64],
) -> Classifier:
    return Classifier(
        tuple(labels.tolist()),
        hashes,
        weights.astype(np.float32),
        bias,
        (float(scale[0]), float(scale[1])),
    )


def save_classifiers(path: Path, classifiers: Mapping[str, Classifier]) -> None:
    """Write an archive that `load_classifiers` reads; weights lose precision to 16 bits."""
    arrays: dict[str, NDArray[Any]] = {}
    for name, each in sorted(classifiers.items()):
        arrays[f"{name}/hashes"] = each.hashes
        arrays[f"{name}/weights"] = each.weights.astype(np.float16)
        arrays[f"{name}/bias"] = each.bias
        arrays[f"{name}/labels"] = np.array(each.labels)
        arrays[f"{name}/scale"] = np.array(each.scale)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)

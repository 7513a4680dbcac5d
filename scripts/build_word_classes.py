"""Build the word classes that the recogniser of entity names sees: words grouped by the company they keep.

    pip download --no-deps NERO-nlp==0.0.8
    python scripts/build_word_classes.py GOLD --nero NERO_nlp-0.0.8-py3-none-any.whl --articles ARTICLES.tar.xz

The text is the training articles of GOLD (titles and abstracts), the sentences of NERO (MIT), and the paragraphs of an
archive of openly licensed JATS articles. Words are placed by the positive pointwise mutual information with their
neighbours (two to each side), reduced to 100 dimensions, and clustered by k-means into three sizes of classes. Only
the classes are kept, no text. Run before scripts/train_ner.py.
"""

from __future__ import annotations

import argparse
import sys
import tarfile
import zipfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
from lxml import etree
from scipy.sparse import coo_matrix, csr_matrix
from sklearn.cluster import MiniBatchKMeans
from sklearn.utils.extmath import randomized_svd

from kg_pipeline.evaluation.gold import read_pubtator
from kg_pipeline.extraction.mentions.ner.recogniser import OWN_MODEL
from kg_pipeline.extraction.mentions.ner.storage import write_classes
from kg_pipeline.extraction.mentions.ner.tokens import fold_token, tokenize
from kg_pipeline.extraction.mentions.ner.words import WordClasses

TRAINING = ("bc5cdr/train.PubTator.txt", "biored/train.PubTator", "ncbi_disease/train.PubTator.txt")
SIZES = (128, 512, 1500)
CONTEXTS, DIMENSIONS, LEAST = 12_000, 100, 4
#: Context counts are smoothed by this power, as in Levy, Goldberg and Dagan (2015).
SMOOTHING = 0.75


def main() -> int:
    """Cluster, and write the table of classes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", type=Path, help="folder with bc5cdr, biored and ncbi_disease")
    parser.add_argument("--nero", type=Path, required=True, help="wheel of NERO-nlp 0.0.8")
    parser.add_argument("--articles", type=Path, required=True, help="tar archive of JATS articles")
    parser.add_argument("--output", type=Path, default=OWN_MODEL)
    arguments = parser.parse_args()
    lines = [*gold_lines(arguments.gold), *nero_lines(arguments.nero), *article_lines(arguments.articles)]
    sentences = [[word_of(token.text) for token in tokenize(line)] for line in lines]
    words, vectors = placed(sentences)
    columns = [
        MiniBatchKMeans(size, random_state=0, batch_size=4096, n_init=2, max_iter=60).fit(vectors).labels_
        for size in SIZES
    ]
    classes = WordClasses(words, np.stack(columns, axis=1).astype(np.uint16))
    write_classes(arguments.output, classes)
    print(f"{len(words)} words from {sum(map(len, sentences))} tokens")
    return 0


def word_of(text: str) -> str:
    """The word that a token counts as."""
    folded = fold_token(text) or text
    return "0" if folded.isdigit() else folded


def gold_lines(gold: Path) -> Iterator[str]:
    """Titles and abstracts of the training articles."""
    for name in TRAINING:
        for article in read_pubtator(gold / name):
            yield article.text


def nero_lines(wheel: Path) -> Iterator[str]:
    """The sentences of NERO, each once, sorted."""
    table = zipfile.ZipFile(wheel).read("NERO/annotation_results.txt").decode("utf-8", "replace")
    rows = [line.split("\t") for line in table.replace("\r", "\n").split("\n") if line.strip()]
    column = rows[0].index("sentenceText")
    yield from sorted({row[column].strip('"') for row in rows[1:] if len(row) > column})


def article_lines(archive: Path) -> Iterator[str]:
    """Paragraphs of the articles of an archive."""
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True)
    with tarfile.open(archive) as members:
        for member in members:
            stream = members.extractfile(member) if member.name.endswith("ml") else None
            root = etree.fromstring(stream.read(), parser) if stream else None
            for paragraph in () if root is None else root.iter("p", "article-title"):
                yield " ".join("".join(map(str, paragraph.itertext())).split())


def placed(sentences: list[list[str]]) -> tuple[list[str], npt.NDArray[np.float32]]:
    """Words that occur often enough, sorted, and a vector of unit length for each."""
    counts = Counter(word for sentence in sentences for word in sentence)
    words = sorted(word for word, count in counts.items() if count >= LEAST)
    row_of = {word: row for row, word in enumerate(words)}
    common = sorted(counts, key=lambda word: (-counts[word], word))[:CONTEXTS]
    column_of = {word: column for column, word in enumerate(common)}
    rows, columns = [], []
    for sentence in sentences:
        own = np.array([row_of.get(word, -1) for word in sentence])
        context = np.array([column_of.get(word, -1) for word in sentence])
        for distance in (1, 2):
            pairs = ((own[:-distance], context[distance:]), (own[distance:], context[:-distance]))
            for side, (left, right) in enumerate(pairs):
                both = (left >= 0) & (right >= 0)
                rows.append(left[both])
                columns.append(right[both] + (2 * (distance - 1) + side) * len(common))
    row, column = np.concatenate(rows), np.concatenate(columns)
    seen = coo_matrix((np.ones(len(row)), (row, column)), shape=(len(words), 4 * len(common))).tocsr()
    left, right, _ = randomized_svd(information(seen), DIMENSIONS, n_iter=3, random_state=0)
    vectors = left * np.sqrt(right)
    return words, (vectors / (np.linalg.norm(vectors, axis=1, keepdims=True) + 1e-9)).astype(np.float32)


def information(seen: csr_matrix) -> csr_matrix:
    """Positive pointwise mutual information of words and contexts."""
    of_word = np.asarray(seen.sum(axis=1)).ravel()
    of_context = np.asarray(seen.sum(axis=0)).ravel() ** SMOOTHING
    of_context /= of_context.sum()
    entries = seen.tocoo()
    values = np.log(entries.data / (of_word[entries.row] * of_context[entries.col]))
    return csr_matrix((np.maximum(values, 0), (entries.row, entries.col)), shape=seen.shape)


if __name__ == "__main__":
    sys.exit(main())

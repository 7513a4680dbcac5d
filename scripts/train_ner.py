"""Train the recogniser of entity names that ships with the package, on one core, from three annotated corpora.

    python scripts/train_ner.py GOLD        # the folder with bc5cdr, biored and ncbi_disease

It needs the word classes that scripts/build_word_classes.py makes, in the folder where the model goes.

BC5CDR annotates chemicals and diseases, NCBI-disease diseases, and BioRED all six kinds. What a corpus does not annotate
is no evidence that it is not there: a first CRF is trained on BioRED alone, and what it finds of the other kinds in the
other corpora, once each article is consistent, is taken for annotated when the second one is trained on all three.

Only training splits are used, without the articles that are in the development or test split of any of the corpora
as far as their files are there. The result does not depend on the machine beyond its floating-point arithmetic.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pycrfsuite

from kg_pipeline.evaluation.gold import GoldArticle, read_pubtator
from kg_pipeline.extraction.mentions.ner.abbreviated import Abbreviations
from kg_pipeline.extraction.mentions.ner.consistency import Sentence as TokenizedSentence
from kg_pipeline.extraction.mentions.ner.consistency import make_consistent
from kg_pipeline.extraction.mentions.ner.features import FeatureMaker
from kg_pipeline.extraction.mentions.ner.labels import decode, encode
from kg_pipeline.extraction.mentions.ner.lexicon import FAMILY, KINDS, Lexicon, lexicon_key
from kg_pipeline.extraction.mentions.ner.recogniser import CATEGORIES, OWN_MODEL
from kg_pipeline.extraction.mentions.ner.storage import read_classes, write_parts
from kg_pipeline.extraction.mentions.ner.tokens import Token, tokenize
from kg_pipeline.text.abbreviations import find_definitions
from kg_pipeline.text.sentences import load_splitter
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.index.build import OPEN_VOCABULARY

#: Training file of each corpus and the kinds that it annotates.
CORPORA = {
    "biored": ("train.PubTator", tuple(CATEGORIES)),
    "bc5cdr": ("train.PubTator.txt", ("chem", "dis")),
    "ncbi_disease": ("train.PubTator.txt", ("dis",)),
}
TEACHER = "biored"
SETTINGS = {"c1": 0.05, "c2": 0.1, "max_iterations": 80, "feature.minfreq": 2}
#: Kinds of the lexicon by the group of the vocabulary's categories.
GROUPS = {
    "chemical": "chem", "disorder": "dis", "gene": "gene", "organism": "spec", "cell line": "cell", "anatomy": "anat",
    "process": "proc", "procedure": "proc",
}  # fmt: skip
FAMILIES = ("biolink:GeneFamily", "biolink:ProteinFamily")
LONGEST_NAME = 70
KIND_OF = {category: kind for kind, category in CATEGORIES.items()}

Span = tuple[int, int, str]


@dataclass
class Sentence:
    """A sentence ready for training: where it starts, its tokens, their features and the annotated names."""

    offset: int
    tokens: list[Token]
    features: list[list[str]]
    names: list[Span]


def main() -> int:
    """Train, and write the files of the recogniser."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "gold", type=Path, help="folder with bc5cdr, biored and ncbi_disease in PubTator format"
    )
    parser.add_argument("--output", type=Path, default=OWN_MODEL, help="where the model goes")
    arguments = parser.parse_args()
    began = time.perf_counter()
    articles = training_articles(arguments.gold)
    lexicon = Lexicon.build(lexicon_names(OPEN_VOCABULARY))
    classes = read_classes(arguments.output)
    maker = FeatureMaker(lexicon, classes)
    sentences = {name: [prepared(article, maker) for article in chosen] for name, chosen in articles.items()}
    print(f"prepared in {time.perf_counter() - began:.0f} s", flush=True)
    teacher = train(flat(sentences[TEACHER]))
    print(f"teacher trained after {time.perf_counter() - began:.0f} s", flush=True)
    for name, chosen in sentences.items():
        if name != TEACHER:
            add_missing_kinds(articles[name], chosen, teacher, CORPORA[name][1])
    tagger = train([sentence for chosen in sentences.values() for sentence in flat(chosen)])
    description: dict[str, Any] = {
        "corpora": {name: len(chosen) for name, chosen in articles.items()},
        "settings": SETTINGS,
        "lexicon_names": len(lexicon),
    }
    write_parts(arguments.output, tagger, lexicon, description)
    size = sum(path.stat().st_size for path in arguments.output.iterdir()) / 1e6
    print(f"{arguments.output}: {size:.1f} MB after {time.perf_counter() - began:.0f} s")
    return 0


def training_articles(gold: Path) -> dict[str, list[GoldArticle]]:
    """Articles of the training splits that are in no other split of any corpus."""
    held_out = {
        article.pmid
        for name in CORPORA
        for path in sorted((gold / name).glob("*.PubTator*"))
        if not path.name.startswith("train")
        for article in read_pubtator(path)
    }
    return {
        name: [article for article in read_pubtator(gold / name / file) if article.pmid not in held_out]
        for name, (file, _) in CORPORA.items()
    }


def lexicon_names(vocabulary: Path) -> dict[str, int]:
    """Folded names of the vocabulary with their kinds as bits."""
    names: dict[str, int] = {}
    table = pq.read_table(vocabulary, columns=["category", "names"]).to_pylist()
    for concept in table:
        kind = FAMILY if concept["category"] in FAMILIES else GROUPS.get(group_of(concept["category"]))
        if kind is None:
            continue
        for name in concept["names"]:
            key = lexicon_key(name)
            if 2 < len(key) < LONGEST_NAME and not key.replace(" ", "").isdigit():
                names[key] = names.get(key, 0) | 1 << KINDS.index(kind)
    return names


def prepared(article: GoldArticle, maker: FeatureMaker) -> list[Sentence]:
    """Sentences of an article; names that cross a sentence border are lost."""
    begin = len(article.title) + 1
    title, abstract = load_splitter().split_all([article.title, article.text[begin:]])
    abbreviations = Abbreviations(find_definitions(article.text), {}, maker.lexicon, maker.classes)
    sentences = []
    for start, end in [*title, *((start + begin, end + begin) for start, end in abstract)]:
        tokens = tokenize(article.text[start:end])
        if tokens:
            names = [
                (mention.start - start, mention.end - start, KIND_OF[mention.category])
                for mention in article.mentions
                if start <= mention.start and mention.end <= end
            ]
            sentences.append(Sentence(start, tokens, maker.features(tokens, abbreviations, start), names))
    return sentences


def flat(articles: Iterable[list[Sentence]]) -> list[Sentence]:
    """The sentences of all articles."""
    return [sentence for sentences in articles for sentence in sentences]


def train(sentences: Sequence[Sentence]) -> bytes:
    """A CRF trained on the sentences with L-BFGS and elastic net."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(SETTINGS)
    for sentence in sentences:
        labels = encode(sentence.tokens, sentence.names)
        trainer.append(pycrfsuite.ItemSequence(sentence.features), labels)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tagger.crf"
        trainer.train(str(path))
        return path.read_bytes()


def add_missing_kinds(
    articles: Sequence[GoldArticle],
    prepared_articles: Sequence[list[Sentence]],
    teacher: bytes,
    annotated: Sequence[str],
) -> None:
    """Add the names that the teacher finds of kinds that the corpus does not annotate, where nothing is annotated."""
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(teacher)
    for article, sentences in zip(articles, prepared_articles, strict=True):
        read = [TokenizedSentence(sentence.offset, sentence.tokens) for sentence in sentences]
        names = [
            (number, first, last, kind)
            for number, sentence in enumerate(sentences)
            for first, last, kind in decode(tagger.tag(pycrfsuite.ItemSequence(sentence.features)))
        ]
        for number, first, last, kind in make_consistent(read, names, find_definitions(article.text)):
            sentence = sentences[number]
            start, end = sentence.tokens[first].start, sentence.tokens[last].end
            if kind not in annotated and all(end <= name[0] or name[1] <= start for name in sentence.names):
                sentence.names.append((start, end, kind))


if __name__ == "__main__":
    sys.exit(main())

"""Annotated corpora as benchmarks of recognition read them: articles with their sentences and the spans of names.

A corpus is looked for in a folder laid out as `bc5cdr/dev.PubTator.txt`, `biored/dev.PubTator`,
`ncbi_disease/dev.PubTator.txt` and, beside that folder, `craft/dev`; `dev` gives way to the name of another split.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kg_pipeline.evaluation.craft import CraftArticle, read_craft
from kg_pipeline.evaluation.entity_recognition import Span
from kg_pipeline.evaluation.gold import GoldArticle, read_pubtator
from kg_pipeline.text.sentences import SentenceSplitter

CHEMICAL, DISEASE, GENE = "biolink:ChemicalEntity", "biolink:Disease", "biolink:Gene"
VARIANT, TAXON, CELL_LINE = "biolink:SequenceVariant", "biolink:OrganismTaxon", "biolink:CellLine"
#: Folder of each corpus in PubTator format, and the categories that it annotates.
PUBTATOR = {
    "BC5CDR": ("bc5cdr", (CHEMICAL, DISEASE)),
    "BioRED": ("biored", (CHEMICAL, DISEASE, GENE, VARIANT, TAXON, CELL_LINE)),
    "NCBI-disease": ("ncbi_disease", (DISEASE,)),
}
CRAFT = "CRAFT"
#: Ontologies of CRAFT whose concepts are of one of the categories.
_ONTOLOGIES = {"CHEBI": CHEMICAL, "MONDO": DISEASE, "PR": GENE, "NCBITaxon": TAXON}


@dataclass(frozen=True, slots=True)
class AnnotatedArticle:
    """An article with the sentences of its text and its names."""

    text: str
    sentences: tuple[tuple[int, int], ...]
    spans: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class AnnotatedCorpus:
    """A split of a corpus; `gold` are its articles with identifiers, for those that have them."""

    name: str
    categories: tuple[str, ...]
    articles: tuple[AnnotatedArticle, ...]
    gold: tuple[GoldArticle, ...]


def find_corpora(
    gold: Path, split: str, splitter: SentenceSplitter
) -> tuple[list[AnnotatedCorpus], list[str]]:
    """The corpora that are there, and a sentence for each that is not.

    Raises
    ------
    BenchmarkFileError
        If a file is there and cannot be read.

    """
    found, absent = [], []
    for name, (folder, categories) in PUBTATOR.items():
        files = sorted((gold / folder).glob(f"{split}.PubTator*"))
        if files:
            articles = tuple(read_pubtator(files[0]))
            found.append(
                AnnotatedCorpus(
                    name, categories, tuple(from_pubtator(one, splitter) for one in articles), articles
                )
            )
        else:
            absent.append(f"{name} was skipped: there is no {gold / folder / split}.PubTator*.")
    craft = gold.parent / "craft"
    if (craft / split).is_dir() and (craft / "index.tsv").is_file():
        full_texts = read_craft(craft / split, craft / "index.tsv")
        articles_of_craft = tuple(from_craft(one, splitter) for one in full_texts)
        found.append(AnnotatedCorpus(CRAFT, tuple(_ONTOLOGIES.values()), articles_of_craft, ()))
    else:
        absent.append(f"CRAFT was skipped: there is no folder {craft / split}.")
    return found, absent


def from_pubtator(article: GoldArticle, splitter: SentenceSplitter) -> AnnotatedArticle:
    """Title and abstract, split into sentences apart from each other."""
    begin = len(article.title) + 1
    title, abstract = splitter.split_all([article.title, article.text[begin:]])
    sentences = (*title, *((start + begin, end + begin) for start, end in abstract))
    return AnnotatedArticle(
        article.text, sentences, tuple((one.start, one.end, one.category) for one in article.mentions)
    )


def from_craft(article: CraftArticle, splitter: SentenceSplitter) -> AnnotatedArticle:
    """A full text; names in several pieces are left out, as no recogniser of spans can find them."""
    return AnnotatedArticle(article.text, tuple(splitter.split(article.text)), tuple(_contiguous(article)))


def _contiguous(article: CraftArticle) -> Iterator[Span]:
    for one in article.annotations:
        if one.ontology in _ONTOLOGIES and len(one.spans) == 1:
            yield (*one.spans[0], _ONTOLOGIES[one.ontology])


def count_tokens(articles: Iterable[AnnotatedArticle]) -> int:
    """Words of the articles, by white space, within their sentences."""
    return sum(len(one.text[start:end].split()) for one in articles for start, end in one.sentences)

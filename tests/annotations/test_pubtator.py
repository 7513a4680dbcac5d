from __future__ import annotations

from collections.abc import Sequence

import pytest

from kg_pipeline.extraction.annotations.pubtator import looks_like_pubtator, read_pubtator
from kg_pipeline.extraction.annotations.records import BroughtRelation, Record, Unreadable

TITLE = "Colchicine in gout"
ABSTRACT = "Gout flares were treated with colchicine. Colchicine binds tubulin."


def read(*lines: str | None) -> list[Record]:
    return list(read_pubtator((f"line {number}", line) for number, line in enumerate(lines, 1)))


def mention(name: str, kind: str, identifier: str, occurrence: int = 0, shift: int = 0) -> str:
    whole = f"{TITLE} {ABSTRACT}"
    start = -1
    for _ in range(occurrence + 1):
        start = whole.index(name, start + 1)
    return f"7\t{start + shift}\t{start + shift + len(name)}\t{name}\t{kind}\t{identifier}"


def block(*lines: str) -> Sequence[str]:
    return [f"7|t|{TITLE}", f"7|a|{ABSTRACT}", *lines]


def test_a_relation_has_the_names_of_its_mentions_and_the_words_between_the_nearest_two() -> None:
    (relation,) = read(
        *block(
            mention("colchicine", "Chemical", "MESH:D003078"),
            mention("Colchicine", "Chemical", "MESH:D003078", occurrence=1),
            mention("tubulin", "Gene", "7846"),
            "7\tAssociation\tMESH:D003078\t7846",
        )
    )
    assert isinstance(relation, BroughtRelation)
    assert relation.article.pmid == "7"
    assert relation.head.names == ("colchicine", "Colchicine")
    assert (relation.head.identifiers, relation.tail.identifiers) == (("MESH:D003078",), ("NCBIGene:7846",))
    assert relation.tail.category == "biolink:Gene"
    assert relation.quotes[0] == "Colchicine binds tubulin"
    assert not relation.is_quoted, "it is said of the abstract as a whole"


def test_a_mention_whose_offsets_do_not_fit_keeps_its_name_and_gives_no_words() -> None:
    (relation,) = read(
        *block(
            mention("Colchicine", "Chemical", "D003078", occurrence=1, shift=3),
            mention("tubulin", "Gene", "7846", shift=3),
            "7\tBind\tD003078\t7846",
        )
    )
    assert isinstance(relation, BroughtRelation)
    assert (relation.head.names, relation.quotes) == (("Colchicine",), ())
    assert relation.head.identifiers == ("MESH:D003078",)


def test_a_table_of_relations_has_identifiers_only() -> None:
    (relation,) = read("12\ttreat\tChemical|MESH:D003078\tDisease|MESH:D006073")
    assert isinstance(relation, BroughtRelation)
    assert relation.tail.identifiers == ("MESH:D006073",)
    assert (relation.tail.names, relation.tail.category) == ((), "biolink:Disease")


def test_identifiers_of_several_concepts_are_found_by_each() -> None:
    found = read(
        *block(
            mention("colchicine", "Chemical", "MESH:D003078"),
            mention("Gout flares", "Disease", "D006073|D009999"),
            "7\tNegative_Correlation\tMESH:D003078\tD009999",
        )
    )
    (relation,) = found
    assert isinstance(relation, BroughtRelation)
    assert relation.tail.names == ("Gout flares",)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["what\tis\tthis\tline"], "no_article"),
        (["7\t-5\t3\tx\tGene\t1"], "malformed"),
        (["7\t5"], "malformed"),
        ([None], "not_text"),
        (["7\tAssociation\tMESH:D1\t-"], "unknown_end"),
    ],
    ids=["no number", "negative offset", "half a line", "not text", "an end that nothing names"],
)
def test_a_line_that_cannot_be_read_is_told_and_the_next_article_is_read(
    lines: list[str | None], reason: str
) -> None:
    bad, good = read(*lines, "", "8\ttreat\tChemical|MESH:D003078\tDisease|MESH:D006073")
    assert bad == Unreadable(reason, "line 1")
    assert isinstance(good, BroughtRelation)
    assert good.article.pmid == "8"


def test_blocks_without_a_blank_line_between_them_stay_apart() -> None:
    first, second = read(
        "7\ttreat\tChemical|MESH:D1\tDisease|D2", "8\ttreat\tChemical|MESH:D000003\tDisease|MESH:D4"
    )
    assert isinstance(first, BroughtRelation | Unreadable)
    assert isinstance(second, BroughtRelation)
    assert second.head.identifiers == ("MESH:D000003",)


@pytest.mark.parametrize(
    ("line", "is_ours"),
    [("7|t|Title", True), ("12\ttreat\ta\tb", True), ("head\tpredicate\ttail\tarticle", False), ("{", False)],
)
def test_the_first_line_tells_the_format(line: str, is_ours: bool) -> None:
    assert looks_like_pubtator(line) is is_ours

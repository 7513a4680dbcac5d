from __future__ import annotations

import io
import json
from typing import Any

import pytest

from kg_pipeline.errors import MalformedError
from kg_pipeline.extraction.annotations.bioc import read_document
from kg_pipeline.extraction.annotations.bioc_xml import xml_documents
from kg_pipeline.extraction.annotations.records import BroughtRelation, Unreadable

TEXT = "Loss of KLF4 causes psoriasis."


def annotation(number: str, kind: str, identifier: str, name: str) -> dict[str, Any]:
    return {
        "id": number,
        "infons": {"type": kind, "identifier": identifier},
        "text": name,
        "locations": [{"offset": 50 + TEXT.index(name), "length": len(name)}],
    }


def document(**changes: Any) -> dict[str, Any]:
    passage = {
        "infons": {},
        "offset": 50,
        "text": TEXT,
        "annotations": [
            annotation("g", "Gene", "9314", "KLF4"),
            annotation("d", "Disease", "MESH:D011565", "psoriasis"),
        ],
    }
    return {"id": "31", "infons": {}, "passages": [passage], **changes}


def relation(**parts: Any) -> dict[str, Any]:
    return {"id": "R1", **parts}


NODES = relation(
    infons={"type": "cause"}, nodes=[{"refid": "d", "role": "Arg2"}, {"refid": "g", "role": "Arg1"}]
)
ROLES = relation(
    infons={
        "type": "cause",
        "score": "0.9",
        "role1": {"identifier": "9314", "type": "Gene"},
        "role2": "Disease|MESH:D011565",
    }
)
XML = f"""<?xml version="1.0"?><!DOCTYPE collection SYSTEM "BioC.dtd">
<collection><document><id>31</id><passage><offset>50</offset><text>{TEXT}</text>
<annotation id="g"><infon key="type">Gene</infon><infon key="identifier">9314</infon>
<location offset="58" length="4"/><text>KLF4</text></annotation>
<annotation id="d"><infon key="type">Disease</infon><infon key="identifier">MESH:D011565</infon>
<location offset="70" length="9"/><text>psoriasis</text></annotation></passage>
<relation id="R1"><infon key="type">cause</infon><node refid="d" role="Arg2"/><node refid="g" role="Arg1"/></relation>
</document></collection>"""


def test_nodes_that_refer_to_mentions_say_it_of_their_sentence() -> None:
    (found,) = read_document(document(relations=[NODES]), "item 1")
    assert isinstance(found, BroughtRelation)
    assert (found.head.names, found.tail.names) == (("KLF4",), ("psoriasis",))
    assert (found.quotes, found.is_quoted) == (("KLF4 causes psoriasis",), True)
    assert found.article.pmid == "31"


def test_roles_that_name_identifiers_say_it_of_the_document() -> None:
    (found,) = read_document(document(relations=[ROLES]), "item 1")
    assert isinstance(found, BroughtRelation)
    assert (found.head.names, found.tail.identifiers) == (("KLF4",), ("MESH:D011565",))
    assert (found.quotes, found.is_quoted, found.score) == (("KLF4 causes psoriasis",), False, 0.9)


def test_a_relation_of_a_passage_is_read_once() -> None:
    inside = document()
    inside["passages"][0]["relations"] = [NODES]
    assert len(list(read_document(inside, "item 1"))) == 1


def test_xml_says_the_same_as_json() -> None:
    (parsed,) = xml_documents(io.BytesIO(XML.encode()))
    assert list(read_document(parsed, "x")) == list(read_document(document(relations=[NODES]), "x"))


def test_identifiers_of_the_article_stand_in_infons_of_full_texts() -> None:
    full = document(relations=[NODES])
    full["passages"][0]["infons"] = {
        "article-id_pmc": "5334499",
        "article-id_doi": "10.1/x",
        "article-id_pmid": "9",
    }
    (found,) = read_document(full, "item 1")
    assert isinstance(found, BroughtRelation)
    assert (found.article.pmcid, found.article.pmid) == ("PMC5334499", "9")


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"relations": [NODES], "id": "?"}, "no_article"),
        ({"relations": ["no relation"]}, "malformed"),
        ({"relations": [relation(infons={"type": "x"}, nodes=[{"refid": "g"}])]}, "malformed"),
        (
            {"relations": [relation(infons={"type": "x"}, nodes=[{"refid": "g"}, {"refid": "no"}])]},
            "malformed",
        ),
        ({"relations": [relation(infons={}, nodes=NODES["nodes"])]}, "malformed"),
        ({"relations": [relation(infons={"type": "x", "role1": [], "role2": None})]}, "unknown_end"),
    ],
    ids=["no article", "no object", "one node", "a node of nothing", "no type", "roles of nothing"],
)
def test_what_is_wrong_with_a_relation_is_told(changes: dict[str, Any], reason: str) -> None:
    (found,) = read_document(document(**changes), "item 1")
    assert isinstance(found, Unreadable)
    assert found.reason == reason


@pytest.mark.parametrize(
    "value", [None, 7, "x", [], {}, [None], [{"infons": 3, "text": 5, "annotations": "?"}]]
)
@pytest.mark.parametrize("field", ["passages", "relations", "infons", "id"])
def test_fields_of_wrong_types_break_nothing(field: str, value: Any) -> None:
    for found in read_document({**document(relations=[NODES, ROLES]), field: value}, "item 1"):
        assert isinstance(found, BroughtRelation | Unreadable)


@pytest.mark.parametrize("field", ["locations", "text", "infons", "id"])
@pytest.mark.parametrize("value", [None, "x", [{"offset": "a", "length": -1}], {"type": []}])
def test_annotations_of_wrong_types_break_nothing(field: str, value: Any) -> None:
    broken = json.loads(json.dumps(document(relations=[NODES, ROLES])))
    broken["passages"][0]["annotations"][0][field] = value
    assert list(read_document(broken, "item 1"))


def test_an_entity_of_the_type_declaration_is_not_expanded() -> None:
    bomb = '<!DOCTYPE c [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;"><!ENTITY f SYSTEM "/etc/hostname">]>'
    xml = f"<?xml version='1.0'?>{bomb}<collection><document><id>31</id><passage><text>&b;&f;</text></passage></document></collection>"
    (parsed,) = xml_documents(io.BytesIO(xml.encode()))
    assert parsed["passages"][0]["text"] == ""


@pytest.mark.parametrize(
    "xml",
    ["<collection><document><id>31</id>", "<collection><document></collection>", "<a>" * 300 + "</a>" * 300],
    ids=["cut off", "crossed", "deep"],
)
def test_xml_that_is_not_well_formed_is_told(xml: str) -> None:
    with pytest.raises(MalformedError, match="not well-formed"):
        list(xml_documents(io.BytesIO(xml.encode())))


def test_a_document_without_an_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kg_pipeline.extraction.annotations.bioc_xml.MAX_DOCUMENT", 100_000)
    xml = "<collection><document>" + "<passage><text>x</text></passage>" * 20_000
    with pytest.raises(MalformedError, match="more than 100000 bytes"):
        list(xml_documents(io.BytesIO(xml.encode())))

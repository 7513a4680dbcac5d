from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg_pipeline.errors import CorpusError, MalformedError
from kg_pipeline.extraction.annotations import files, json_items
from kg_pipeline.extraction.annotations.files import annotation_files, read_file
from kg_pipeline.extraction.annotations.records import BroughtRelation, Record, Unreadable

PUBTATOR = "7\ttreat\tChemical|MESH:D003078\tDisease|MESH:D006073\n"
TABLE = "pmid\thead\tpredicate\ttail\n7\tcolchicine\ttreats\tgout\n"
STATEMENT: dict[str, Any] = {
    "type": "Inhibition",
    "subj": {"name": "colchicine"},
    "obj": {"name": "tubulin"},
    "evidence": [{"pmid": "7", "text": "Colchicine inhibits tubulin."}],
}
DOCUMENT: dict[str, Any] = {
    "id": "7",
    "passages": [],
    "relations": [
        {"infons": {"type": "treat", "role1": "Chemical|MESH:D003078", "role2": "Disease|MESH:D006073"}}
    ],
}
XML = (
    "<collection><document><id>7</id><relation><infon key='type'>treat</infon><infon key='role1'>Gene|7</infon>"
    "<infon key='role2'>Gene|8</infon></relation></document></collection>"
)
KINDS = {
    "PubTator": PUBTATOR,
    "table": TABLE,
    "INDRA": json.dumps([STATEMENT]),
    "INDRA, a line each": f"{json.dumps(STATEMENT)}\n",
    "INDRA, by hash": json.dumps({"statements": {"-12": STATEMENT}}),
    "BioC": json.dumps({"source": "x", "documents": [DOCUMENT]}),
    "BioC of PubTator3": json.dumps({"PubTator3": [DOCUMENT]}),
    "BioC, one document": json.dumps(DOCUMENT, indent=1),
    "BioC XML": XML,
}


def read(path: Path, content: bytes) -> list[Record]:
    path.write_bytes(content)
    return list(read_file(path))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wrapped", ["plain", "gzip", "byte order mark"])
def test_the_format_is_told_by_the_content(tmp_path: Path, kind: str, wrapped: str) -> None:
    content = KINDS[kind].encode()
    content = {
        "plain": content,
        "gzip": gzip.compress(content),
        "byte order mark": b"\xef\xbb\xbf" + content,
    }[wrapped]
    (found,) = read(tmp_path / "file.dat", content)
    assert isinstance(found, BroughtRelation)
    assert found.article.pmid == "7"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no format that is known"),
        (b"\n\n \n", "no format that is known"),
        (b"A note about the files.\n", "no format that is known"),
        (b"%PDF-1.7\n\x00\xff", "no format that is known"),
        (b"PK\x03\x04 an archive", "no format that is known"),
        (b"<article><front/></article>", "not BioC"),
        (b"<collection><document>", "not well-formed"),
        (b'[{"type": ', "not JSON"),
        (b"[{}, {}", "ends after item 2"),
        (b'{"documents": [' + b"[" * 200_000, "nested too deeply"),
        (b'[{"id": ' + b"9" * 5000 + b"}]", "not JSON"),
        ("[\"é\"]".encode("latin-1"), "not in UTF-8"),
        ("[\"é\"]".encode("utf-16"), "no format that is known"),
        (gzip.compress(PUBTATOR.encode())[:-9], "cannot be unpacked"),
        (b"\x1f\x8b\x08\x00 not gzip", "cannot be unpacked"),
        (b"head\ttail\tpredicate\n", "lacks the column article"),
    ],
    ids=[
        "empty", "blank", "prose", "PDF", "archive", "other XML", "XML cut off", "JSON cut off", "array cut off",
        "deep JSON", "a number without end", "Latin-1", "UTF-16", "gzip cut off", "no gzip", "no article column",
    ],
)  # fmt: skip
def test_a_file_that_is_none_of_ours_says_why(tmp_path: Path, content: bytes, why: str) -> None:
    with pytest.raises(MalformedError, match=why):
        read(tmp_path / "file", content)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(
    kind=st.sampled_from(sorted(KINDS)),
    position=st.integers(0, 400),
    noise=st.sampled_from(
        [b"\x00", b"\xff", b"{", b"]", b"\t", b"\n", b"\\ud800", b"<", b"|", b'"', b"9" * 20]
    ),
)
def test_damage_is_a_record_that_cannot_be_read_or_a_file_that_says_why(
    tmp_path: Path, kind: str, position: int, noise: bytes
) -> None:
    content = KINDS[kind].encode()
    at = position % (len(content) + 1)
    try:
        found = read(tmp_path / "file", content[:at] + noise + content[at:])
    except MalformedError:
        return
    assert all(isinstance(each, BroughtRelation | Unreadable) for each in found)
    json.dumps([repr(each) for each in found]).encode()


def test_what_stands_before_the_damage_is_read(tmp_path: Path) -> None:
    found = []
    path = tmp_path / "file"
    path.write_text(json.dumps([STATEMENT])[:-1] + ', {"type"')
    with pytest.raises(MalformedError, match="item 2"):
        found.extend(read_file(path))
    path.write_text(json.dumps([STATEMENT, 5, STATEMENT]))
    assert [type(each) for each in read_file(path)] == [BroughtRelation, Unreadable, BroughtRelation]


def test_a_line_that_is_no_text_costs_that_line(tmp_path: Path) -> None:
    found = read(
        tmp_path / "file", PUBTATOR.encode() + b"7\ttreat\tG\xe9ne\tx\n7\t\x00\n" + PUBTATOR.encode()
    )
    assert [type(each) for each in found] == [Unreadable, Unreadable, BroughtRelation, BroughtRelation]


def test_halves_of_surrogates_can_be_stored(tmp_path: Path) -> None:
    text = json.dumps([STATEMENT]).replace("tubulin", "tubu\\ud83dlin")
    (found,) = read(tmp_path / "file", text.encode())
    assert isinstance(found, BroughtRelation)
    assert found.tail.names == ("tubu?lin",)


def test_a_line_without_an_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_LINE", 10_000)
    with pytest.raises(MalformedError, match="line 2 has more than 10000 bytes"):
        read(tmp_path / "file", PUBTATOR.encode() + b"7\t" + b"x" * 20_000)


def test_an_item_without_an_end_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_items, "MAX_ITEM", 100_000)
    with pytest.raises(MalformedError, match="item 1 is no JSON"):
        read(tmp_path / "file", b'[{"text": "' + b"x" * 3_000_000)


def test_items_that_are_larger_than_what_is_read_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_items, "_READ", 7)
    monkeypatch.setattr(json_items, "_HEAD", 50)
    found = read(tmp_path / "file", json.dumps([STATEMENT] * 5, indent=2).encode())
    assert [type(each) for each in found] == [BroughtRelation] * 5


def test_folders_are_searched_and_links_out_of_them_are_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "annotations"
    (folder / "deep").mkdir(parents=True)
    (tmp_path / "secret.tsv").write_text(TABLE)
    for name in ("b.tsv", "deep/a.tsv", ".hidden"):
        (folder / name).write_text(TABLE)
    (folder / "link.tsv").symlink_to(tmp_path / "secret.tsv")
    found = annotation_files([str(folder), str(folder / "b.tsv")])
    assert found == [folder / "b.tsv", folder / "deep" / "a.tsv"]


def test_a_path_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="do not exist"):
        annotation_files([str(tmp_path / "none")])

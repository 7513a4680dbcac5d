"""Vocabularies of the user's own: UMLS in RRF, a table, a knowledge base of scispaCy; and several of them stacked."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from kg_pipeline.cli.app import app
from kg_pipeline.errors import ModelError, SettingsError
from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import open_vocabulary
from kg_pipeline.vocabulary.index.stack import stack, table_path
from kg_pipeline.vocabulary.sources.rrf import open_release
from kg_pipeline.vocabulary.sources.tables import build_from_scispacy, build_from_table, scispacy_file
from kg_pipeline.vocabulary.sources.umls import build_umls

#: Columns in another order than the current release has them, since MRFILES.RRF decides.
COLUMNS = {
    "MRCONSO.RRF": "CUI,LAT,TS,STT,ISPREF,SAB,TTY,STR,SRL,SUPPRESS",
    "MRSTY.RRF": "CUI,TUI",
    "MRREL.RRF": "CUI1,REL,CUI2,SAB,SUPPRESS",
}
ATOMS = [
    'C1|ENG|S|PF|Y|MSH|PT|Kidney "failure"|0|N|',
    "C1|ENG|P|PF|Y|MSH|PT|Renal failure|0|N|",
    "C1|FRE|P|PF|Y|MSHFRE|PT|Insuffisance rénale|0|N|",
    "C1|ENG|P|PF|Y|SNOMEDCT_US|PT|Renal failure syndrome|9|N|",
    "C1|ENG|P|PF|Y|MSH|PT|Renal failure, obsolete|0|O|",
    "C2|ENG|P|PF|Y|MSH|PT|Kidney disease|0|N|",
    "C3|ENG|P|PF|Y|GO|PT|A qualitative concept|0|N|",
    "C4|ENG|P|PF|Y|GO|PT|Acute renal failure|0|N|",
]
TYPES = ["C1|T047|", "C2|T047|", "C3|T080|", "C4|T033|", "C4|T047|"]
#: REL says what the second concept is to the first one: C2 is a parent of C1, C4 a child of C1.
RELATIONS = ["C1|PAR|C2|MSH|N|", "C1|CHD|C4|MSH|N|", "C1|RO|C3|MSH|N|", "C2|PAR|C4|MSH|O|"]


@pytest.fixture
def meta(tmp_path: Path) -> Path:
    folder = tmp_path / "META"
    folder.mkdir()
    files = "".join(f"{name}|what it is|{columns}|9|1|1|\n" for name, columns in COLUMNS.items())
    (folder / "MRFILES.RRF").write_text(files)
    for name, lines in (("MRCONSO.RRF", ATOMS), ("MRSTY.RRF", TYPES), ("MRREL.RRF", RELATIONS)):
        (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return folder


def rows(path: Path) -> dict[str, dict[str, object]]:
    return {str(row["concept_id"]): row for row in pl.read_parquet(path).iter_rows(named=True)}


def test_umls_keeps_free_current_english_names_with_the_preferred_one_first(
    meta: Path, tmp_path: Path
) -> None:
    output = tmp_path / "umls.parquet"
    assert build_umls(meta, output) == 3
    found = rows(output)
    assert found["C1"]["names"] == ["Renal failure", 'Kidney "failure"']
    assert "C3" not in found  # a quality is no entity
    assert found["C4"]["category"] == "biolink:Disease"  # of two types the more telling one


def test_is_a_runs_from_child_to_parent_in_both_notations(meta: Path, tmp_path: Path) -> None:
    output = tmp_path / "umls.parquet"
    build_umls(meta, output)
    assert {key: row["parents"] for key, row in rows(output).items()} == {
        "C1": ["C2"],
        "C2": [],
        "C4": ["C1"],
    }


def test_sources_and_levels_are_filters(meta: Path, tmp_path: Path) -> None:
    output = tmp_path / "umls.parquet"
    assert build_umls(meta, output, sources=["GO"]) == 1
    build_umls(meta, output, levels=["0", "9"])
    assert "Renal failure syndrome" in rows(output)["C1"]["names"]  # type: ignore[operator]
    with pytest.raises(ModelError, match="gives no concepts"):
        build_umls(meta, output, sources=["NONE"])


def test_a_folder_that_is_no_release_says_what_is_missing(meta: Path, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"MRFILES\.RRF is missing"):
        open_release(tmp_path)
    (meta / "MRSTY.RRF").unlink()
    with pytest.raises(ModelError, match=r"MRSTY\.RRF is missing"):
        build_umls(meta, tmp_path / "umls.parquet")


def test_carriage_returns_packed_files_and_long_names_are_read(meta: Path, tmp_path: Path) -> None:
    output = tmp_path / "umls.parquet"
    plain = (meta / "MRCONSO.RRF").read_text()
    long = "C9|ENG|P|PF|Y|MSH|PT|" + "renal disease " * 20_000 + "|0|N|\n"
    (meta / "MRCONSO.RRF").write_text((plain + long).replace("\n", "\r\n"), newline="")
    (meta / "MRSTY.RRF").unlink()
    with gzip.open(meta / "MRSTY.RRF.gz", "wt") as file:
        file.write("".join(f"{line}\n" for line in [*TYPES, "C9|T047|"]))
    assert build_umls(meta, output) == 4
    assert rows(output)["C1"]["names"] == ["Renal failure", 'Kidney "failure"']


def test_a_merged_concept_gives_its_names_to_its_successor_and_ranks_choose_between_names(
    meta: Path, tmp_path: Path
) -> None:
    files = (meta / "MRFILES.RRF").read_text()
    files += "MRCUI.RRF|x|CUI1,VER,REL,CUI2,MAPIN|5|1|1|\nMRRANK.RRF|x|RANK,SAB,TTY,SUPPRESS|4|1|1|\n"
    (meta / "MRFILES.RRF").write_text(files)
    (meta / "MRCUI.RRF").write_text("C0|2020AA|SY|C1|Y|\nC8|2020AA|DEL|||\nC2|2020AA|RO|C1|Y|\n")
    (meta / "MRRANK.RRF").write_text("0300|GO|PT|N|\n0400|MSH|MH|N|\n")
    more = [
        "C0|ENG|S|VO|N|MSH|PT|Insufficiency of the kidney|0|N|",
        "C4|ENG|S|VO|N|MSH|MH|Zonal renal failure|0|N|",
    ]
    atoms = [line for line in ATOMS if not line.startswith("C4")]
    (meta / "MRCONSO.RRF").write_text(
        "".join(f"{line}\n" for line in [*atoms, *more, "C4|ENG|S|VO|N|GO|PT|Acute renal failure|0|N|"])
    )
    output = tmp_path / "umls.parquet"
    build_umls(meta, output)
    assert "Insufficiency of the kidney" in rows(output)["C1"]["names"]  # type: ignore[operator]
    assert {"C0", "C8"}.isdisjoint(rows(output))
    assert rows(output)["C2"]["name"] == "Kidney disease"  # related to C1, not merged into it
    assert rows(output)["C4"]["name"] == "Zonal renal failure"  # MRRANK puts its source first


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("MRFILES.RRF", b"MRCONSO.RRF|x|CUI,LAT|2|1|1|\n", "lists no column TS of MRCONSO"),
        ("MRFILES.RRF", b"MRCONSO.RRF\n", "fewer than three fields"),
        ("MRFILES.RRF", b"", "fewer than three fields"),
        ("MRFILES.RRF", b"\xff\xfe", "cannot be read"),
        ("MRFILES.RRF", b"MRCONSO.RRF|x|CUI,CUI|2|1|1|\n", "a column of MRCONSO.RRF twice"),
        ("MRCONSO.RRF", b"C1|ENG|P|\n", "3 fields a line, and MRFILES.RRF lists 10"),
        ("MRCONSO.RRF", "\n".join([*ATOMS, "C7|ENG|P|P"]).encode(), "cut off: its last line has 3 fields"),
        ("MRCONSO.RRF", "\n".join([ATOMS[0], "C1|ENG|P|PF|Y|MSH|PT|\udcff|0|N|"]).encode("utf-8", "surrogateescape"), "cannot be read as MRFILES"),
        ("MRCONSO.RRF", b"", "no concepts|cannot be read as"),
        ("MRSTY.RRF.gz", b"no archive", "MRSTY.RRF.gz cannot be read"),
    ],
)  # fmt: skip
def test_a_release_that_is_damaged_says_which_file_and_what_to_do(
    meta: Path, tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    if name.endswith(".gz"):
        (meta / name.removesuffix(".gz")).unlink()
    (meta / name).write_bytes(content)
    output = tmp_path / "umls.parquet"
    with pytest.raises(ModelError, match=message):
        build_umls(meta, output)
    assert not output.exists()


@pytest.mark.shared
def test_a_sample_of_the_real_release_is_read(shared: Path, tmp_path: Path) -> None:
    output = tmp_path / "umls.parquet"
    sample = shared / "data" / "terminology" / "umls_META_sample"
    assert build_umls(sample, output, sources=["MSH"]) == len(rows(output)) > 0
    assert all(row["names"][0] == row["name"] for row in rows(output).values())  # type: ignore[index]


def test_a_table_needs_two_columns_and_known_categories(tmp_path: Path) -> None:
    path, output = tmp_path / "mine.tsv", tmp_path / "mine.parquet"
    path.write_text(
        'id\tname\tsynonyms\tcategory\tparents\nX:1\tthe "one"\tuno|one\tGene\t\nX:2\ttwo\t\t\tX:1|X:9\n'
    )
    assert build_from_table(path, output) == 2
    assert rows(output)["X:1"]["names"] == ['the "one"', "uno", "one"]
    assert rows(output)["X:2"] | {"names": 0} == {
        "concept_id": "X:2", "name": "two", "category": "biolink:NamedThing", "names": 0, "parents": ["X:1"], "source": "USER",
    }  # fmt: skip
    for content, message in (
        ("id\tlabel\n1\ta\n", "no column 'name'"),
        ("id\tname\tcolour\n1\ta\tred\n", "unknown column 'colour'"),
        ("id\tname\tcategory\n1\ta\tGeen\n", "category 'biolink:Geen'"),
        ("id\tname\n1\ta\n1\tb\n", "'1' in two rows"),
        ("id\tname\n1\t\n", "without an id or a name"),
    ):
        path.write_text(content)
        with pytest.raises(ModelError, match=message):
            build_from_table(path, output)


def test_a_knowledge_base_of_scispacy_is_read_by_its_semantic_types(tmp_path: Path) -> None:
    path, output = tmp_path / "kb.jsonl", tmp_path / "kb.parquet"
    entries = [
        {
            "concept_id": "C1",
            "canonical_name": "Asthma",
            "aliases": ["asthma"],
            "types": ["T047"],
            "definition": "x",
        },
        {"concept_id": "C2", "canonical_name": "Good", "aliases": [], "types": ["T080"]},
    ]
    path.write_text("".join(json.dumps(entry) + "\n" for entry in entries))
    assert build_from_scispacy(path, output) == 1
    assert rows(output)["C1"]["category"] == "biolink:Disease"
    listed = tmp_path / "kb.json"
    listed.write_text(json.dumps(entries))
    assert build_from_scispacy(listed, output) == 1
    with pytest.raises(ModelError, match="missing"):
        build_from_scispacy(tmp_path / "absent.jsonl", output)
    listed.write_text("[{]")
    with pytest.raises(ModelError, match="no knowledge base"):
        build_from_scispacy(listed, output)


def test_a_knowledge_base_that_scispacy_keeps_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCISPACY_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="once scispaCy has loaded it"):
        scispacy_file(Path("umls"))
    folder = tmp_path / "datasets"
    folder.mkdir()
    mesh, whole = (folder / f"ab.cd.{name}.jsonl" for name in ("umls_mesh_2022", "umls_2022_ab_cat0129"))
    for path in (mesh, whole):
        path.write_text("")
    assert scispacy_file(Path("umls")) == whole
    assert scispacy_file(Path("mesh")) == mesh


def test_two_vocabularies_of_one_identifier_share_its_names(tmp_path: Path) -> None:
    tables = []
    for number, name in enumerate(("first", "second")):
        path = tmp_path / f"{number}.tsv"
        path.write_text(f"id\tname\tcategory\nX:1\t{name}\tGene\n")
        build_from_table(path, tmp_path / f"{number}.parquet")
        tables.append(tmp_path / f"{number}.parquet")
    [row] = stack(tables).iter_rows(named=True)
    assert (row["name"], row["names"]) == ("first", ["first", "second"])


def test_the_command_makes_a_vocabulary_that_the_setting_then_chooses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "mine.tsv"
    path.write_text("id\tname\tsynonyms\tcategory\nX:1\tunheard-of disease\tUHD\tDisease\n")
    monkeypatch.setenv("KG_HOME", str(tmp_path / "home"))
    result = CliRunner().invoke(app, ["vocabulary", "build", "--tsv", str(path), "--name", "mine"])
    assert result.exit_code == 0, result.output
    assert "KG_VOCABULARY=open+mine" in result.output
    settings = load_settings({"KG_HOME": str(tmp_path / "home"), "KG_VOCABULARY": "mine"})
    vocabulary = open_vocabulary(build_vocabulary(settings))
    assert [candidate.concept_id for candidate in vocabulary.lookup("UHD")] == ["X:1"]
    listed = CliRunner().invoke(app, ["vocabulary", "list"])
    assert "mine" in listed.output


def test_a_vocabulary_that_is_not_built_or_cannot_be_named_says_so(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="kg vocabulary build --name umls"):
        build_vocabulary(load_settings({"KG_HOME": str(tmp_path), "KG_VOCABULARY": "open+umls"}))
    with pytest.raises(SettingsError):
        load_settings({"KG_HOME": str(tmp_path), "KG_VOCABULARY": "../up"})
    with pytest.raises(SettingsError):
        table_path(tmp_path, "Not A Name")

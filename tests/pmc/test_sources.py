import io
import tarfile
import zipfile

import pytest

from kg_pipeline.errors import CorpusError
from kg_pipeline.pmc import sources
from kg_pipeline.pmc.sources import open_source, unread_notice

FILES = {"b/two.nxml": b"<two/>", "a.xml": b"<one/>", "notes.pdf": b"%PDF", "b/._two.nxml": b"junk"}


def as_folder(root, files):
    for name, content in files.items():
        path = root / "source" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root / "source"


def as_zip(root, files):
    with zipfile.ZipFile(root / "source.zip", "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return root / "source.zip"


def as_tar(suffix, mode):
    def make(root, files):
        with tarfile.open(root / f"source{suffix}", mode) as archive:
            for name, content in files.items():
                member = tarfile.TarInfo(name)
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        return root / f"source{suffix}"

    return make


KINDS = [
    as_folder,
    as_zip,
    as_tar(".tar", "w"),
    as_tar(".tar.gz", "w:gz"),
    as_tar(".tgz", "w:gz"),
    as_tar(".tar.xz", "w:xz"),
]
KIND_NAMES = ["folder", "zip", "tar", "tar.gz", "tgz", "tar.xz"]


@pytest.mark.parametrize("make", KINDS, ids=KIND_NAMES)
def test_every_kind_of_source_gives_the_same_files(make, tmp_path):
    source = open_source(make(tmp_path, FILES))
    assert dict(source.entries()) == {"a.xml": b"<one/>", "b/two.nxml": b"<two/>"}
    assert list(source.entries()) == list(source.entries())
    assert dict(source.read(["b/two.nxml", "gone.xml"])) == {"b/two.nxml": b"<two/>"}
    assert list(source.read([])) == []


@pytest.mark.parametrize("make", KINDS, ids=KIND_NAMES)
def test_names_that_climb_out_read_nothing_outside(make, tmp_path):
    (tmp_path / "secret.xml").write_bytes(b"<secret/>")
    source = open_source(make(tmp_path, {"a.xml": b"<one/>"}))
    assert list(source.read(["../secret.xml", str(tmp_path / "secret.xml")])) == []


def test_links_out_of_a_folder_are_not_followed(tmp_path):
    (tmp_path / "secret.xml").write_bytes(b"<secret/>")
    folder = as_folder(tmp_path, {"a.xml": b"<one/>"})
    (folder / "link.xml").symlink_to(tmp_path / "secret.xml")
    assert [ref for ref, _ in open_source(folder).entries()] == ["a.xml"]
    assert list(open_source(folder).read(["link.xml"])) == []


@pytest.mark.parametrize("make", KINDS, ids=KIND_NAMES)
def test_members_are_read_up_to_the_bound(make, tmp_path, monkeypatch):
    monkeypatch.setattr(sources, "MAX_BYTES", 1000)
    source = open_source(make(tmp_path, {"bomb.xml": b"a" * 100_000}))
    assert [len(data) for _, data in source.entries()] == [1001]


@pytest.mark.parametrize("make", KINDS, ids=KIND_NAMES)
def test_files_that_are_not_read_are_told(make, tmp_path):
    told = []
    files = {
        "a.xml": b"<one/>",
        "b/inner.zip": b"PK",
        "notes.txt": b"",
        ".DS_Store": b"",
        "__MACOSX/._a.txt": b"",
    }
    source = open_source(make(tmp_path, files))
    assert [ref for ref, _ in source.entries(told.append)] == ["a.xml"]
    assert sorted(told) == ["b/inner.zip", "notes.txt"]


def test_a_notice_of_many_files_names_some():
    assert unread_notice(["a.txt"]).startswith("1 file is not read")
    many = unread_notice([f"{number}.pdf" for number in range(8)])
    assert many.startswith("8 files are not read")
    assert many.endswith("0.pdf, 1.pdf, 2.pdf, 3.pdf, 4.pdf and 3 more")


@pytest.mark.parametrize("make", KINDS, ids=KIND_NAMES)
def test_source_without_xml_says_what_it_holds(make, tmp_path):
    with pytest.raises(CorpusError, match=r"2 files.*none is XML.*PDFs"):
        list(open_source(make(tmp_path, {"a.pdf": b"%PDF", "b.html": b"<html/>"})).entries())


def test_empty_and_missing_sources_say_what_to_do(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="is empty"):
        list(open_source(tmp_path / "empty").entries())
    with pytest.raises(CorpusError, match="does not exist"):
        open_source(tmp_path / "nowhere")
    (tmp_path / "article.docx").write_bytes(b"")
    with pytest.raises(CorpusError, match="no known kind"):
        open_source(tmp_path / "article.docx")


@pytest.mark.parametrize("make", KINDS[1:], ids=KIND_NAMES[1:])
@pytest.mark.parametrize("damage", ["cut", "noise"])
def test_damaged_archive_is_one_sentence(make, damage, tmp_path):
    path = make(tmp_path, {f"{number}.xml": bytes(range(256)) * 40 for number in range(5)})
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2] if damage == "cut" else b"noise" * 400)
    with pytest.raises(CorpusError, match="cannot be read"):
        list(open_source(path).entries())

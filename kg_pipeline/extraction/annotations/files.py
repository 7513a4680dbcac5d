"""Files of brought-in annotations: found in folders, unpacked if they are gzipped, told apart by what is in them."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from io import BufferedReader, FileIO
from itertools import chain
from pathlib import Path

from kg_pipeline.errors import CorpusError, MalformedError
from kg_pipeline.extraction.annotations.bioc import is_document, read_document
from kg_pipeline.extraction.annotations.bioc_xml import xml_documents
from kg_pipeline.extraction.annotations.indra import is_statement, read_statement
from kg_pipeline.extraction.annotations.json_items import json_items
from kg_pipeline.extraction.annotations.pubtator import looks_like_pubtator, read_pubtator
from kg_pipeline.extraction.annotations.records import Record, Unreadable, Wanted, every_article
from kg_pipeline.extraction.annotations.table import looks_like_table, read_table

#: Upper bound of one line, in bytes.
MAX_LINE = 4 * 1024 * 1024
#: Lines without a relation after which a file counts as none of ours.
_MOST_USELESS = 1_000_000
_GZIP = b"\x1f\x8b"
_SNIFFED = 64 * 1024
#: What a JSON file may call the array that its items are in.
_ARRAYS = ("documents", "PubTator3", "statements")
FORMATS = "PubTator, BioC (JSON or XML), INDRA JSON, or a tab-separated table with a header"


def annotation_files(paths: Iterable[str]) -> list[Path]:
    """Files at these paths and below the folders among them, each once, in order; hidden ones are left out.

    Links that lead out of a folder are not followed.

    Raises
    ------
    CorpusError
        If there is nothing at one of the paths.

    """
    found: dict[Path, None] = {}
    for path in map(Path, paths):
        if path.is_dir():
            base = path.resolve()
            below = sorted(path.rglob("*"), key=lambda each: each.relative_to(path).as_posix())
            found.update(dict.fromkeys(each for each in below if _is_meant(each, path, base)))
        elif path.is_file():
            found[path] = None
        else:
            raise CorpusError(
                f"The annotations {path} do not exist. Mend the option `annotations` of the corpus, or put the file there."
            )
    return list(found)


def _is_meant(path: Path, folder: Path, base: Path) -> bool:
    is_hidden = any(part.startswith(".") for part in path.relative_to(folder).parts)
    return not is_hidden and path.is_file() and path.resolve().is_relative_to(base)


def read_file(path: Path, is_wanted: Wanted = every_article) -> Iterator[Record]:
    """Relations of a file, in its order, those that cannot be read, and in large formats those that are not wanted.

    Raises
    ------
    MalformedError
        If it is of no format that is known, or cannot be read from some place on; what was before that is given first.

    """
    with _opened(path) as stream:
        head = stream.peek(_SNIFFED)[:_SNIFFED].removeprefix(b"\xef\xbb\xbf").lstrip()
        if head.startswith(b"<"):
            if b"<collection" not in head and b"<document" not in head:
                raise MalformedError("it is XML, and not BioC")
            for number, document in enumerate(xml_documents(stream)):
                yield from read_document(document, f"document {document.get('id') or number + 1}", is_wanted)
        elif head.startswith((b"{", b"[")):
            yield from _of_json(stream, is_wanted)
        else:
            yield from _of_lines(stream, is_wanted)


def _of_json(stream: BufferedReader, is_wanted: Wanted) -> Iterator[Record]:
    for number, item in enumerate(json_items(stream, _ARRAYS)):
        record = f"item {number + 1}"
        if is_document(item):
            yield from read_document(item, record, is_wanted)
        elif is_statement(item):
            yield from read_statement(item, record)
        elif isinstance(item, dict) and isinstance(item.get("statements"), dict):
            # INDRA's database answers with an object of statements by their hash.
            for key, statement in item["statements"].items():
                if is_statement(statement):
                    yield from read_statement(statement, f"statement {key}")
                else:
                    yield Unreadable("malformed", f"statement {key}")
        else:
            yield Unreadable("malformed", record)


def _of_lines(stream: BufferedReader, is_wanted: Wanted) -> Iterator[Record]:
    lines = _lines(stream)
    first = next(((place, line) for place, line in lines if line is None or line.strip()), ("", ""))
    every = chain([first], lines)
    if first[1] and looks_like_table(first[1]):
        yield from read_table(every)
    elif first[1] and looks_like_pubtator(first[1]):
        yield from read_pubtator(every, is_wanted)
    else:
        raise MalformedError(f"it is of no format that is known: {FORMATS}")


def _lines(stream: BufferedReader) -> Iterator[tuple[str, str | None]]:
    """Place and text of each line, None for the text of one that is not UTF-8."""
    number = 0
    blank = 0
    while data := stream.readline(MAX_LINE + 1):
        number += 1
        if len(data) > MAX_LINE:
            raise MalformedError(f"line {number} has more than {MAX_LINE} bytes")
        blank = blank + 1 if not data.strip() else 0
        if blank > _MOST_USELESS:
            raise MalformedError(f"{blank} lines in a row are empty, up to line {number}")
        try:
            text = data.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
        except UnicodeDecodeError:
            yield f"line {number}", None
        else:
            yield f"line {number}", None if "\0" in text else text


@contextmanager
def _opened(path: Path) -> Iterator[BufferedReader]:
    try:
        raw: BufferedReader = BufferedReader(FileIO(path), _SNIFFED)
        with raw:
            if raw.peek(len(_GZIP))[: len(_GZIP)] != _GZIP:
                yield raw
                return
            with gzip.open(raw) as unpacked:
                yield BufferedReader(unpacked, _SNIFFED)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise MalformedError(f"it cannot be unpacked ({error})") from None
    except PermissionError as error:
        raise MalformedError(f"it cannot be opened ({error.strerror})") from None

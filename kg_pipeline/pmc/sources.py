"""Where the articles of a corpus come from: a folder of JATS files, or an archive of them, read as a stream.

Nothing is ever extracted to disk, so the names inside an archive cannot lead anywhere; each member is read up to
a bound, so a small archive cannot fill the memory.
"""

from __future__ import annotations

import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from kg_pipeline.errors import CorpusError
from kg_pipeline.pmc.jats.xml import MAX_BYTES

_XML_SUFFIXES = (".xml", ".nxml", ".jats")
#: Names that a notice gives.
_SHOWN = 5
_TAR_SUFFIXES = (".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz", ".tar.bz2")
#: What an archive or a file manager adds by itself.
_HOUSEKEEPING = "__MACOSX"
_KINDS = "a folder, .tar, .tar.gz, .tar.xz or .zip of JATS XML files"


#: Told the name of each file that is not read.
Unread = Callable[[str], object]


def untold(name: str) -> None:
    """Files that are not read, of which nobody wants to know."""


class ArticleSource(Protocol):
    """Files of a corpus by reference; a reference is a relative path with forward slashes.

    A file over the bound of `kg_pipeline.pmc.jats.xml.MAX_BYTES` is given one byte longer than the bound, which the
    parser then refuses by its size.
    """

    @property
    def is_random_access(self) -> bool:
        """Whether one file can be read without reading those before it."""
        ...

    def entries(self, unread: Unread = untold) -> Iterator[tuple[str, bytes]]:
        """Every XML file, in an order that is the same each time; `unread` is told the others."""
        ...

    def read(self, refs: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """The files of these references; those that are gone are left out."""
        ...


def open_source(path: Path) -> ArticleSource:
    """The source at `path`.

    Raises
    ------
    CorpusError
        If there is nothing, nothing of a known kind, or no XML in it.

    """
    if path.is_dir():
        return FolderSource(path)
    if not path.exists():
        raise CorpusError(f"The article source {path} does not exist. Give {_KINDS}.")
    name = path.name.lower()
    if name.endswith(_TAR_SUFFIXES):
        return TarSource(path)
    if name.endswith(".zip"):
        return ZipSource(path)
    raise CorpusError(f"The article source {path} is a file of no known kind. Give {_KINDS}.")


@dataclass(frozen=True, slots=True)
class FolderSource:
    """All XML files below a folder, sorted by path. Links that lead out of the folder are not followed."""

    root: Path

    @property
    def is_random_access(self) -> bool:
        """Files are independent."""
        return True

    def entries(self, unread: Unread = untold) -> Iterator[tuple[str, bytes]]:
        """See `ArticleSource`."""
        others = 0
        found = 0
        base = self.root.resolve()
        paths = sorted(self.root.rglob("*"), key=lambda path: path.relative_to(self.root).as_posix())
        for path in paths:
            if not path.is_file():
                continue
            name = path.relative_to(self.root).as_posix()
            if not _is_xml(path.name) or not path.resolve().is_relative_to(base):
                others += 1
                _tell(unread, name)
                continue
            found += 1
            yield name, _read_file(path)
        _require_found(self.root, found, others)

    def read(self, refs: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """See `ArticleSource`."""
        base = self.root.resolve()
        for ref in sorted(refs):
            path = self.root / ref
            if path.is_file() and path.resolve().is_relative_to(base):
                yield ref, _read_file(path)


@dataclass(frozen=True, slots=True)
class TarSource:
    """Regular XML members of a tar archive, compressed or not, in archive order."""

    path: Path

    @property
    def is_random_access(self) -> bool:
        """A compressed tar is read from its start."""
        return False

    def entries(self, unread: Unread = untold) -> Iterator[tuple[str, bytes]]:
        """See `ArticleSource`."""
        return self._members(_is_xml, unread)

    def read(self, refs: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """See `ArticleSource`."""
        wanted = set(refs)
        return self._members(wanted.__contains__) if wanted else iter(())

    def _members(
        self, is_wanted: Callable[[str], bool], unread: Unread = untold
    ) -> Iterator[tuple[str, bytes]]:
        found = others = 0
        with _archive_errors(self.path), tarfile.open(self.path, mode="r|*") as archive:
            for member in archive:
                if not member.isfile():
                    continue
                if not is_wanted(member.name):
                    others += 1
                    _tell(unread, member.name)
                    continue
                stream = archive.extractfile(member)
                if stream is not None:
                    found += 1
                    yield member.name, _read_bounded(stream)
        if is_wanted is _is_xml:
            _require_found(self.path, found, others)


@dataclass(frozen=True, slots=True)
class ZipSource:
    """XML members of a zip archive, sorted by name."""

    path: Path

    @property
    def is_random_access(self) -> bool:
        """The directory of a zip file tells where each member lies."""
        return True

    def entries(self, unread: Unread = untold) -> Iterator[tuple[str, bytes]]:
        """See `ArticleSource`."""
        with _archive_errors(self.path), zipfile.ZipFile(self.path) as archive:
            names = sorted({info.filename for info in archive.infolist() if not info.is_dir()})
            wanted = [name for name in names if _is_xml(name)]
            for name in names:
                if not _is_xml(name):
                    _tell(unread, name)
            for name in wanted:
                with archive.open(name) as stream:
                    yield name, _read_bounded(stream)
        _require_found(self.path, len(wanted), len(names) - len(wanted))

    def read(self, refs: Collection[str]) -> Iterator[tuple[str, bytes]]:
        """See `ArticleSource`."""
        with _archive_errors(self.path), zipfile.ZipFile(self.path) as archive:
            names = set(archive.namelist())
            for ref in sorted(names.intersection(refs)):
                with archive.open(ref) as stream:
                    yield ref, _read_bounded(stream)


def _is_xml(name: str) -> bool:
    """Whether a file is meant as XML. What else its name says (`.xml.gz`, `.xml.bak`) is for the parser to report."""
    base = PurePosixPath(name.rpartition("/")[2])
    return not base.name.startswith(".") and any(suffix.lower() in _XML_SUFFIXES for suffix in base.suffixes)


def _tell(unread: Unread, name: str) -> None:
    parts = PurePosixPath(name).parts
    if _HOUSEKEEPING not in parts and not any(part.startswith(".") for part in parts if part != "."):
        unread(name)


def unread_notice(names: Sequence[str]) -> str:
    """One clause about files that are not read; empty for none."""
    if not names:
        return ""
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    files = "1 file is" if len(names) == 1 else f"{len(names)} files are"
    return f"{files} not read, for articles are files of the source named {', '.join(_XML_SUFFIXES)}: {shown}"


def _read_file(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            return _read_bounded(stream)
    except OSError as error:
        raise CorpusError(
            f"{path} cannot be read ({error.strerror}). Mend its permissions, or take it out."
        ) from error


def _read_bounded(stream: IO[bytes]) -> bytes:
    return stream.read(MAX_BYTES + 1)


def _require_found(path: Path, found: int, others: int) -> None:
    if found:
        return
    if others:
        raise CorpusError(
            f"The article source {path} holds {others} files, but none is XML ({', '.join(_XML_SUFFIXES)}). "
            "PDFs and HTML pages cannot be read; get the articles as JATS XML."
        )
    raise CorpusError(f"The article source {path} is empty. Put JATS XML files (.xml, .nxml) into it.")


@contextmanager
def _archive_errors(path: Path) -> Iterator[None]:
    """Turn whatever a damaged archive raises into one sentence."""
    try:
        yield
    except (
        tarfile.TarError,
        zipfile.BadZipFile,
        lzma.LZMAError,
        zlib.error,
        EOFError,
        OSError,
        RuntimeError,
    ) as error:
        reason = str(error) or type(error).__name__
        raise CorpusError(
            f"The archive {path} cannot be read ({reason}). It may be incomplete, encrypted or of another kind; get it again."
        ) from error

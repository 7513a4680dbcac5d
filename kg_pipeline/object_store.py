"""Files that machines share through an object store: each is written whole under its final name and read whole.

That is all that stage tables, raw articles and graph versions need, so workers share neither a disk nor locks: an object store shows a
new object whole or not at all, and lists what was written before.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from urllib.parse import urlsplit

from kg_pipeline.errors import ObjectStoreError
from kg_pipeline.files import replacing

if TYPE_CHECKING:
    from pyarrow import Buffer, NativeFile
    from pyarrow.fs import FileInfo, FileSystem

#: Bytes and time of last change in nanoseconds; what has neither changed has not changed.
State: TypeAlias = tuple[int, int]

#: Objects that are fetched at the same time; a request waits for the network, not for a core.
_AT_ONCE = 16
_COPIED = 1 << 20  # bytes at a time
#: Nanoseconds after which a change shows: buckets tell the time of one in whole seconds.
_SETTLED = 2_000_000_000


@dataclass(frozen=True, slots=True)
class ObjectStore:
    """The files under one address, such as `s3://bucket/prefix`, named by their path from there.

    `filesystem` is pyarrow's, which knows S3, Google Cloud Storage, Azure and folders, and finds credentials where
    each provider keeps them.
    """

    address: str
    filesystem: FileSystem
    prefix: str

    def is_there(self) -> bool:
        """Whether there is such a folder, or such a bucket: what follows in its address comes with the first file."""
        from pyarrow.fs import FileType, LocalFileSystem

        is_folder = isinstance(self.filesystem, LocalFileSystem)
        with self._explained("its root"):
            # The prefix first, which those may ask who may not ask for the whole bucket.
            for place in (self.prefix, self.prefix if is_folder else self.prefix.partition("/")[0]):
                if self.filesystem.get_file_info(place).type == FileType.Directory:
                    return True
        return False

    def has(self, name: str) -> bool:
        """Whether there is a file of that name."""
        return self.state(name) is not None

    def state(self, name: str) -> State | None:
        """State of the file of that name, or None if there is none."""
        from pyarrow.fs import FileType

        with self._explained(name):
            info = self.filesystem.get_file_info(self._key(name))
        return _state_of(info) if info.type == FileType.File else None

    def folders(self, folder: str) -> Sequence[str]:
        """Names of the folders in a folder that hold a file, in order; buckets have no others."""
        return sorted({name.partition("/")[0] for name in self.walk(folder) if "/" in name})

    def walk(self, folder: str) -> Sequence[str]:
        """Paths below a folder of all files that it and its folders hold, in order."""
        from pyarrow.fs import FileType

        start = len(self._key(folder).rstrip("/")) + 1
        found = self._found(folder, is_deep=True)
        return sorted(info.path[start:] for info in found if info.type == FileType.File)

    def list(self, folder: str) -> dict[str, State]:
        """Names, without the folder, of the files in it, in order, and the state of each."""
        from pyarrow.fs import FileType

        found = self._found(folder)
        files = {info.base_name: _state_of(info) for info in found if info.type == FileType.File}
        return dict(sorted((name, state) for name, state in files.items() if not name.startswith(".")))

    def read(self, name: str, at_most: int = -1) -> bytes:
        """The file's bytes, or the first of them; a FileNotFoundError if there is none."""
        with self._explained(name), self._opened(name) as stream:
            return bytes(stream.read(at_most if at_most >= 0 else None))

    def write(self, name: str, content: bytes | Buffer) -> None:
        """Put bytes under the name."""
        with self._explained(name), self._written_whole(name) as key, ThreadPoolExecutor(1) as thread:
            # Arrow commits a stream that an exception closes as far as it was written; a signal interrupts the main
            # thread only, so that another one opens it, writes once and closes it undisturbed.
            thread.submit(self._put, key, content).result()

    def send(self, path: Path, name: str) -> None:
        """Put a file of this machine under the name; it is then the copy that `fetch` finds up to date.

        Two machines that send the same name at once must send the same content, as stages do for a shard.
        """
        import pyarrow as pa

        if path.stat().st_size:  # an empty file cannot be mapped
            with pa.memory_map(str(path)) as source:
                self.write(name, source.read_buffer())
        else:
            self.write(name, b"")
        state = self.state(name)
        if state is not None:
            os.utime(path, ns=(state[1], state[1]))

    def fetch(self, name: str, path: Path) -> bool:
        """Bring this machine's copy up to date; false, and no copy, if there is no such file."""
        state = self.state(name)
        if state is not None:
            try:
                self._bring(name, state, path)
            except FileNotFoundError:
                if self.has(name):  # a folder of this machine is gone
                    raise
                state = None  # removed since it was seen
        if state is None:
            path.unlink(missing_ok=True)
        return state is not None

    def fetch_all(self, folder: str, states: Mapping[str, State], into: Path) -> None:
        """Bring this machine's copies of listed files of a folder up to date, several at a time."""
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            for _ in threads.map(
                lambda item: self._bring(f"{folder}/{item[0]}", item[1], into / item[0]), states.items()
            ):
                pass

    def download(self, name: str, path: Path) -> None:
        """Make a copy of the file on this machine, whatever is there; a FileNotFoundError if there is none."""
        with replacing(path) as aside:
            self._copy(name, aside)

    def delete(self, name: str) -> None:
        """Remove the file, if there is one."""
        with self._explained(name):
            try:
                self.filesystem.delete_file(self._key(name))
            except FileNotFoundError:
                return

    def _put(self, key: str, content: bytes | Buffer) -> None:
        # Without the last argument Arrow would pack what is named .zst once more.
        with self.filesystem.open_output_stream(key, compression=None) as sink:
            sink.write(content)

    def _bring(self, name: str, state: State, path: Path) -> None:
        if _local_state(path) == state:
            return
        # What changed just now may change again and look the same, so its copy does not count as up to date.
        is_settled = time.time_ns() - state[1] > _SETTLED
        with replacing(path) as aside:
            self._copy(name, aside)
            if is_settled:
                os.utime(aside, ns=(state[1], state[1]))

    def _copy(self, name: str, path: Path) -> None:
        with path.open("wb") as sink:
            for part in self._parts(name):
                sink.write(part)

    def _parts(self, name: str) -> Iterator[bytes]:
        with self._explained(name), self._opened(name) as source:
            while part := source.read(_COPIED):
                yield part

    def _opened(self, name: str) -> NativeFile:
        return self.filesystem.open_input_stream(self._key(name), compression=None)

    def _found(self, folder: str, *, is_deep: bool = False) -> Sequence[FileInfo]:
        from pyarrow.fs import FileSelector

        with self._explained(folder):
            selected = FileSelector(self._key(folder), allow_not_found=True, recursive=is_deep)
            return tuple(self.filesystem.get_file_info(selected))

    def _key(self, name: str) -> str:
        return f"{self.prefix}/{name}" if self.prefix else name

    @contextmanager
    def _written_whole(self, name: str) -> Iterator[str]:
        """Key to write to; a folder, unlike a bucket, shows half of a file, so there it is renamed when it is whole."""
        from pyarrow.fs import LocalFileSystem

        if not isinstance(self.filesystem, LocalFileSystem):
            yield self._key(name)
            return
        with replacing(Path(self._key(name))) as aside:
            yield str(aside)

    @contextmanager
    def _explained(self, name: str) -> Iterator[None]:
        import pyarrow as pa

        try:
            yield
        except FileNotFoundError:
            raise
        except (OSError, pa.ArrowException) as error:
            raise ObjectStoreError(
                f"The object store {self.address} failed at {name} ({_first_line(error)}). Check that KG_STORE names a "
                "bucket that is there, and that this machine may read and write it; what was finished is kept."
            ) from error


@cache
def open_store(address: str) -> ObjectStore | None:
    """The store of an address, or None for an empty one.

    Raises
    ------
    ObjectStoreError
        If the address is of no store that is known, or the store cannot be asked.

    """
    if not address:
        return None
    import pyarrow as pa
    from pyarrow.fs import FileSystem

    try:
        filesystem, prefix = FileSystem.from_uri(_with_options(address))
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, OSError) as error:
        raise ObjectStoreError(
            f"KG_STORE is {address!r}, which cannot be opened ({_first_line(error)}). "
            "Use an address such as s3://bucket/prefix, gs://bucket/prefix or file:///shared/folder."
        ) from error
    return ObjectStore(address, filesystem, prefix.rstrip("/"))


def require_store(address: str) -> None:
    """Refuse an address of no bucket or folder before anything is made for it.

    Raises
    ------
    ObjectStoreError
        If it is not there, or cannot be asked.

    """
    store = open_store(address)
    if store is not None and not store.is_there():
        raise ObjectStoreError(
            f"KG_STORE is {address}, and there is no such bucket or folder. Make it (or mount it), or correct KG_STORE."
        )


#: Options of an address that are not the library's own choice. By the first, a small file takes one request to write
#: to S3, and not the three of a large one; without the second, a Google store that cannot be reached, or credentials
#: that are not there, are tried for 15 minutes.
_OPTIONS = {"s3": ("allow_delayed_open", "true"), "gs": ("retry_limit_seconds", "15")}


def _with_options(address: str) -> str:
    """The address with our options, where it has none of its own."""
    parts = urlsplit(address)
    option, value = _OPTIONS.get(parts.scheme, ("", ""))
    if not option or option in parts.query:
        return address
    return parts._replace(query="&".join(filter(None, [parts.query, f"{option}={value}"]))).geturl()


def _first_line(error: Exception) -> str:
    """What went wrong, without the details that some clients tell below it."""
    return str(error).partition("\n")[0].rstrip(". ")


def _state_of(info: FileInfo) -> State:
    return info.size, info.mtime_ns


def _local_state(path: Path) -> State | None:
    try:
        status = path.stat()
    except FileNotFoundError:
        return None
    return status.st_size, status.st_mtime_ns

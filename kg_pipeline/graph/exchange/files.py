"""Text files of an exchange: written whole or not at all, read line by line, compressed where the name says so."""

from __future__ import annotations

import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TextIO

from kg_pipeline.errors import GraphError
from kg_pipeline.files import replacing


@contextmanager
def writing(folder: Path, names: Sequence[str]) -> Iterator[list[TextIO]]:
    """Text files in a folder; they appear when the block ends well."""
    with ExitStack() as stack:
        streams: list[TextIO] = []
        for name in names:
            aside = stack.enter_context(replacing(folder / name))
            streams.append(stack.enter_context(aside.open("w", encoding="utf-8", newline="")))
        yield streams


@contextmanager
def reading(path: Path) -> Iterator[TextIO]:
    """A UTF-8 text file, plain or gzip.

    Raises
    ------
    GraphError
        If it cannot be opened or is not such a file.

    """
    try:
        with path.open("rb") as raw:
            packed = path.suffix == ".gz"
            binary = gzip.GzipFile(fileobj=raw) if packed else raw
            with io.TextIOWrapper(binary, encoding="utf-8-sig", newline="\n") as text:
                yield text
    except FileNotFoundError as error:
        raise GraphError(f"There is no file {path}.") from error
    except (OSError, UnicodeDecodeError, EOFError) as error:
        raise GraphError(f"{path} cannot be read as UTF-8 text ({error}).") from error

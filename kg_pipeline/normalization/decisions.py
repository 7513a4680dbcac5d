"""Decisions of people about names: these two are one entity, those two are not; kept in `$KG_HOME/merges.toml`.

    [[lupus.merge]]
    names = ["UVB", "ultraviolet B radiation"]

    [[lupus.apart]]
    names = ["SLE", "SCLE"]

The file is one section a corpus, meant to be read and edited by hand as well; comments in it go with the next decision of a
command. A name is a form as `kg merges` lists it, or as an article writes it.
A later build respects every decision; a pair is in one list only, the newer decision replaces the older one.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from kg_pipeline import files
from kg_pipeline.errors import CorpusError
from kg_pipeline.fingerprint import digest

MERGE: Literal["merge"] = "merge"
APART: Literal["apart"] = "apart"
Verdict = Literal["merge", "apart"]
#: What became of a decision: it is new, was there already, or replaces the opposite one.
Decided = Literal["new", "known", "replaced"]
Pair = tuple[str, str]
_PATIENCE = 30.0  # seconds
_HEADING = "# Your decisions about names, by corpus: `kg merge` and `kg unmerge` write them, every build respects them.\n"


@dataclass(frozen=True, slots=True)
class Decisions:
    """Pairs of names that are one entity, and pairs that are not; each pair in order of the names."""

    merged: frozenset[Pair] = frozenset()
    apart: frozenset[Pair] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.merged or self.apart)

    def renamed(self, names: Mapping[str, str]) -> Decisions:
        """The decisions with some names replaced; one whose names become the same is nothing to decide about."""

        def those(pairs: frozenset[Pair]) -> frozenset[Pair]:
            told = [[names.get(name, name) for name in pair] for pair in pairs]
            return frozenset(pair_of(one, other) for one, other in told if one != other)

        apart = those(self.apart)
        return Decisions(those(self.merged) - apart, apart)

    @property
    def digest(self) -> str:
        """Digest of the decisions; the same for none as for an absent file."""
        return digest(sorted(self.merged), sorted(self.apart)) if self else ""


def decisions_file(home: Path) -> Path:
    """Where the decisions of a workspace are kept."""
    return home / "merges.toml"


def pair_of(one: str, other: str) -> Pair:
    """Two names in order, white space folded.

    Raises
    ------
    CorpusError
        If a name is empty, or both are the same.

    """
    first, second = sorted(" ".join(name.split()) for name in (one, other))
    if not first or first == second:
        raise CorpusError(
            f"{one!r} and {other!r} are not two names; give two names as `kg merges` lists them."
        )
    return first, second


def read_decisions(home: Path, corpus: str) -> Decisions:
    """Decisions about a corpus; none where the file has no section for it.

    Raises
    ------
    CorpusError
        If the file is not TOML, an entry is not a pair of names, or a pair is in both lists.

    """
    section = _read(decisions_file(home)).get(corpus, {})
    merged, apart = (frozenset(_pairs(home, corpus, section, verdict)) for verdict in (MERGE, APART))
    both = merged & apart
    if both:
        raise CorpusError(
            f"{decisions_file(home)}, [{corpus}]: {' | '.join(min(both))} is in both lists; remove one of the two entries."
        )
    return Decisions(merged, apart)


def decide(home: Path, corpus: str, verdict: Verdict, pair: Pair) -> Decided:
    """Write a decision, in place of an opposite one; whether it is new, was there already, or replaces that one."""
    with _lock(home):
        known = read_decisions(home, corpus)
        ours, others = (known.merged, known.apart) if verdict == MERGE else (known.apart, known.merged)
        if pair in ours:
            return "known"
        content = {name: read_decisions(home, name) for name in _read(decisions_file(home))}
        content[corpus] = (
            Decisions(known.merged | {pair}, known.apart - {pair})
            if verdict == MERGE
            else Decisions(known.merged - {pair}, known.apart | {pair})
        )
        files.write_text(decisions_file(home), _written(content))
    return "replaced" if pair in others else "new"


def forget(home: Path, corpus: str, pair: Pair) -> bool:
    """Take back whatever was decided about a pair, so that the rules decide again; False if nothing was."""
    with _lock(home):
        known = read_decisions(home, corpus)
        if pair not in known.merged | known.apart:
            return False
        content = {name: read_decisions(home, name) for name in _read(decisions_file(home))}
        content[corpus] = Decisions(known.merged - {pair}, known.apart - {pair})
        files.write_text(decisions_file(home), _written(content))
    return True


@contextmanager
def _lock(home: Path) -> Iterator[None]:
    """Held while the file is read and written, so that of two decisions at once none is lost."""
    # No corpus has a dot in its name, and a build locks the name of its corpus here.
    lock = FileLock(home / "locks" / "merges.toml.lock", timeout=_PATIENCE)
    Path(lock.lock_file).parent.mkdir(parents=True, exist_ok=True)
    try:
        lock.acquire()
    except Timeout:
        raise CorpusError(
            f"{decisions_file(home)} is being written by another command. Decide again when it has ended."
        ) from None
    try:
        yield
    finally:
        lock.release()


def _read(path: Path) -> dict[str, dict[str, object]]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise CorpusError(f"{path} cannot be read: {error}. Mend it; the README shows its form.") from None
    strange = [name for name, section in content.items() if not isinstance(section, dict)]
    if strange:
        raise CorpusError(
            f"{path}: {strange[0]} = … stands outside of a section; write [[CORPUS.merge]] above it."
        )
    return content


def _pairs(home: Path, corpus: str, section: dict[str, object], verdict: Verdict) -> Iterable[Pair]:
    entries = section.get(verdict, [])
    where = f"{decisions_file(home)}, [[{corpus}.{verdict}]]"
    unknown = section.keys() - {MERGE, APART}
    if unknown:
        raise CorpusError(f"{where}: {min(unknown)!r} is neither merge nor apart.")
    if not isinstance(entries, list):
        raise CorpusError(f"{where}: write it with double brackets, once for each pair.")
    for entry in entries:
        names = entry.get("names") if isinstance(entry, dict) else None
        if not isinstance(names, list) or len(names) != 2 or not all(isinstance(name, str) for name in names):
            raise CorpusError(f'{where}: each entry has names = ["one name", "another name"].')
        yield pair_of(names[0], names[1])


def _written(content: dict[str, Decisions]) -> str:
    parts = [_HEADING]
    for corpus, decisions in sorted(content.items()):
        for verdict, pairs in ((MERGE, decisions.merged), (APART, decisions.apart)):
            for pair in sorted(pairs):
                # JSON leaves one control character as it is that TOML does not allow.
                quoted = (json.dumps(name, ensure_ascii=False).replace("\x7f", "\\u007f") for name in pair)
                names = ", ".join(quoted)
                parts.append(f"\n[[{corpus}.{verdict}]]\nnames = [{names}]\n")
    return "".join(parts)

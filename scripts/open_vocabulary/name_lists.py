"""Entry terms of MeSH and names of drugs from two packages that recognise diseases and drugs by dictionary.

Their tables lead from a name in lower case to the preferred name it belongs to; identifiers in them are not used.
"""

from __future__ import annotations

import bz2
import io
import pickle
from collections import defaultdict
from collections.abc import Iterable

from open_vocabulary.chemicals import SYSTEMATIC
from open_vocabulary.drafts import Draft
from open_vocabulary.mesh import upright
from open_vocabulary.wheels import Wheel

_LONGEST = 60


class _Plain(pickle.Unpickler):
    """Reads containers of text and numbers; anything that would have to be imported is refused."""

    def find_class(self, module: str, name: str) -> object:
        raise pickle.UnpicklingError(f"{module}.{name} is not plain data")


def names_by_preferred(wheel: Wheel, suffix: str, kind: str) -> dict[str, list[str]]:
    """Names of each preferred name, both in lower case; `kind` is the prefix of the tables (drug or disease)."""
    tables = _Plain(io.BytesIO(bz2.decompress(wheel.bytes(suffix)))).load()
    names: dict[str, list[str]] = defaultdict(list)
    for name, preferred in tables[f"{kind}_variant_to_canonical"].items():
        if len(preferred) == 1:
            names[preferred[0]].append(name)
    return names


def add_entry_terms(drafts: Iterable[Draft], names: dict[str, list[str]]) -> None:
    """Give MeSH headings the names that belong to their preferred name, in natural word order, and note which are new."""
    for draft in drafts:
        own = draft.keys() - draft.filed.keys()
        # The list has headings as MeSH prints them, the draft as they are written in text.
        for heading in {draft.name, *draft.headings}:
            found = names.get(heading.lower(), [])
            written = [upright(name) for name in found]
            plain = [
                name for name in written if name and len(name) <= _LONGEST and not SYSTEMATIC.search(name)
            ]
            draft.names += [
                name.upper() if is_acronym(name, plain) else name
                for name in plain
                if len(name) > 3 or is_acronym(name, plain)
            ]
        draft.filed |= dict.fromkeys(draft.keys() - own, draft.id)


def is_acronym(short: str, names: Iterable[str]) -> bool:
    """Whether a short name is made of the first letters of another one: `esrd` of `end-stage renal disease`."""
    if not (2 < len(short) <= 6 and short.isalpha()):
        return False
    return any("".join(word[0] for word in name.replace("-", " ").split() if word) == short for name in names)

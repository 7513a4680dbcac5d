"""How XML from anyone is read: nothing is fetched, no entity is expanded, and libxml2's own bounds hold."""

from __future__ import annotations

from typing import Final, TypedDict


class _Options(TypedDict):
    resolve_entities: bool
    load_dtd: bool
    no_network: bool
    huge_tree: bool
    remove_comments: bool
    remove_pis: bool


#: For every parser of lxml that reads what others wrote.
SAFE_OPTIONS: Final[_Options] = {
    "resolve_entities": False,
    "load_dtd": False,
    "no_network": True,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}

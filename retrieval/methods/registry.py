"""Methods of answering by name; a new one is a class with `name` and `answer` and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from kg_pipeline.errors import KgError
from retrieval.methods.egot import Egot
from retrieval.methods.inses.method import Inses
from retrieval.methods.method import Method, bioweave
from retrieval.methods.naive import Naive
from retrieval.methods.router import Router

__all__ = ["METHODS", "Method", "UnknownMethodError", "find_method"]


def _pagerank() -> Method:
    from retrieval.methods.ppr.method import PageRank  # scipy loads only where it is used

    return PageRank()


METHODS: Mapping[str, Callable[[], Method]] = MappingProxyType(
    {
        "auto": Router,
        "bioweave": bioweave,
        "egot": Egot,
        "inses": Inses,
        "naive": Naive,
        "ppr": _pagerank,
    }
)


class UnknownMethodError(KgError):
    """No method of that name."""


def find_method(method: str | Method) -> Method:
    """The method of a name, or the method itself.

    Raises
    ------
    UnknownMethodError
        If there is no method of that name.

    """
    if not isinstance(method, str):
        return method
    if method not in METHODS:
        raise UnknownMethodError(
            f"There is no retrieval method {method!r}; use one of {', '.join(sorted(METHODS))}."
        )
    return METHODS[method]()

"""What a method of answering is; `retrieval.methods.registry` lists them by name."""

from __future__ import annotations

from typing import Protocol

from retrieval.answer import Answer
from retrieval.methods.context import Context


class Method(Protocol):
    """A way to answer; holds settings only, so that one instance serves many questions at once."""

    @property
    def name(self) -> str:
        """What `graph.ask(method=…)` calls it."""
        ...

    async def answer(self, question: str, context: Context) -> Answer:
        """Answer over the graph version of the context."""
        ...


def bioweave() -> Method:
    """The method `bioweave`; httpx loads only where it is used."""
    from retrieval.methods.bioweave.method import BioWeave

    return BioWeave()

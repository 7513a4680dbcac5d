"""Which of the definitions of a text holds for a short form at a place."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from kg_pipeline.text.abbreviations import Definition


class DefinitionIndex:
    """The definitions of a text, to be asked about many places of it."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self._ordered = sorted(definitions, key=lambda definition: definition.short_start)
        self._places = [definition.short_start for definition in self._ordered]
        self._by_form: dict[str, list[int]] = {}
        for number, definition in enumerate(self._ordered):
            for form in {definition.short, _singular(definition.short)}:
                self._by_form.setdefault(form, []).append(number)

    def at(self, short: str, position: int) -> Definition | None:
        """The definition that holds for `short` at `position`: the nearest earlier one of exactly that spelling.

        A plural `s` in either is ignored only where the capitals before it agree: `AGs` is the plural of `AG`, not `AGS`.
        A letter means many things in an article, so it is defined at its definition only.
        """
        numbers = {number for form in (short, _singular(short)) for number in self._by_form.get(form, ())}
        earlier = [number for number in numbers if self._places[number] <= position]
        if len(short) == 1:
            earlier = [number for number in earlier if self._places[number] == position]
        if not earlier:
            return None
        latest = max(self._places[number] for number in earlier)
        return self._ordered[min(number for number in earlier if self._places[number] == latest)]

    def within(self, start: int, end: int) -> list[Definition]:
        """Definitions whose short form begins between these offsets."""
        return self._ordered[bisect_left(self._places, start) : bisect_left(self._places, end)]


def definition_at(definitions: Iterable[Definition], short: str, position: int) -> Definition | None:
    """The definition that holds for `short` at one `position`; see `DefinitionIndex.at`."""
    return DefinitionIndex(definitions).at(short, position)


def _singular(short: str) -> str:
    return short[:-1] if len(short) > 2 and short.endswith("s") and not short[:-1].islower() else short

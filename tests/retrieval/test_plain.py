from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from retrieval.words.plain import plain, plain_json, plain_line

ANY = st.text(st.characters())
MAY_STAY = "\t\n"


def commands(text: str) -> list[str]:
    """Characters of the text that a terminal obeys: C0, DEL, C1 and the bidirectional overrides."""
    overrides = set(range(0x202A, 0x202F)) | set(range(0x2066, 0x206A))
    return [
        letter
        for letter in text
        if letter not in MAY_STAY
        and (
            ord(letter) < 32
            or 127 <= ord(letter) < 160
            or 0xD800 <= ord(letter) < 0xE000
            or ord(letter) in overrides
        )
    ]


@given(ANY)
def test_nothing_that_commands_a_terminal_is_left_and_nothing_else_is_changed(text: str) -> None:
    shown = plain(text)
    assert not commands(shown)
    assert len(shown) == len(text)
    assert all(
        one == other or other == "\N{REPLACEMENT CHARACTER}" for one, other in zip(text, shown, strict=True)
    )


@given(ANY)
def test_a_line_is_one_line(text: str) -> None:
    assert len(plain_line(text).splitlines()) <= 1


@given(ANY)
def test_json_keeps_every_character_and_shows_no_command(text: str) -> None:
    shown = plain_json(json.dumps({"quote": text}, ensure_ascii=False))
    assert not commands(shown)
    assert json.loads(shown) == {"quote": text}

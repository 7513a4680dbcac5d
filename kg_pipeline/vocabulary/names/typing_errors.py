"""Words with one typing error: a letter too many, too few, another one, or two in each other's place."""

from __future__ import annotations

from string import ascii_lowercase


def one_edit(key: str) -> list[str]:
    """Keys that are one error away in a letter, in order; digits stay, and so does the first letter.

    An error in a number makes another name of it, and people rarely err in the first letter (Pollock and Zamora, 1984).
    """
    found: set[str] = set()
    for at in range(1, len(key) + 1):
        head, tail = key[:at], key[at:]
        found.update(head + letter + tail for letter in ascii_lowercase)
        if not tail or not tail[0].isalpha():
            continue
        found.add(head + tail[1:])
        found.update(head + letter + tail[1:] for letter in ascii_lowercase)
        if len(tail) > 1 and tail[1].isalpha():
            found.add(head + tail[1] + tail[0] + tail[2:])
    return sorted(found - {key})

"""Keep API keys, e-mail addresses and commands to terminals out of messages that quote what a service said."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterable

HIDDEN = "***"

#: Parameters whose values identify a person or open an account.
SECRET_PARAMETERS = ("api_key", "apikey", "email", "key", "token")
_PARAMETER = re.compile(rf"(?i)\b({'|'.join(SECRET_PARAMETERS)})=([^&#\s\"']+)")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")
# What a terminal would obey: control characters, those of C1 and those that turn the direction of writing.
_COMMANDS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


class Redactor:
    """Replaces known secrets wherever they stand, and the values of parameters that usually hold one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = {secret for secret in secrets if secret}
        spellings = values | {urllib.parse.quote(value, safe="") for value in values}
        spellings |= {urllib.parse.quote_plus(value) for value in values}
        ordered = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def clean(self, text: str) -> str:
        """The text without secrets, and without what a terminal that shows it would obey."""
        text = _COMMANDS.sub(" ", text)
        if self._known is not None:
            text = self._known.sub(HIDDEN, text)
        return _CREDENTIALS.sub(f"{HIDDEN}@", _PARAMETER.sub(rf"\1={HIDDEN}", text))

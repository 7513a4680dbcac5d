"""Keep API keys and e-mail addresses out of messages."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterable

HIDDEN = "***"

#: Parameters whose values identify a person or open an account.
SECRET_PARAMETERS = ("api_key", "apikey", "email", "key", "token")
_PARAMETER = re.compile(rf"(?i)\b({'|'.join(SECRET_PARAMETERS)})=([^&#\s\"']+)")
_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]+@")


class Redactor:
    """Replaces known secrets wherever they stand, and the values of parameters that usually hold one."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        values = {secret for secret in secrets if secret}
        spellings = values | {urllib.parse.quote(value, safe="") for value in values}
        spellings |= {urllib.parse.quote_plus(value) for value in values}
        ordered = sorted(spellings, key=lambda spelling: (-len(spelling), spelling))
        self._known = re.compile("|".join(map(re.escape, ordered))) if ordered else None

    def clean(self, text: str) -> str:
        """The text without secrets."""
        if self._known is not None:
            text = self._known.sub(HIDDEN, text)
        return _CREDENTIALS.sub(f"{HIDDEN}@", _PARAMETER.sub(rf"\1={HIDDEN}", text))

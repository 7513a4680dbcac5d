"""Prompts, as Markdown files with a version; `load_prompt` reads them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kg_pipeline.fingerprint import digest

_PART = re.compile(r"^--- (system|user) ---\n", re.MULTILINE)
_PLACE = re.compile(r"\{\{(\w+)\}\}")


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt: `version` is raised when its wording changes on purpose, `digest` changes with every letter."""

    version: int
    system: str
    user: str
    digest: str

    def messages(self, values: Mapping[str, str]) -> list[dict[str, str]]:
        """Fill in the `{{places}}`; what is filled in is not looked at again. A KeyError if a value is missing."""
        return [
            {"role": role, "content": _PLACE.sub(lambda place: values[place.group(1)], template)}
            for role, template in (("system", self.system), ("user", self.user))
        ]


@cache
def load_prompt(name: str) -> Prompt:
    """The prompt `<name>.md` of this folder."""
    text = (files(__name__) / f"{name}.md").read_text(encoding="utf-8")
    head, *parts = _PART.split(text)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    version = int(head.removeprefix("version:").strip())
    return Prompt(version, sections["system"].strip(), sections["user"].strip(), digest(text))

"""Words that name an entity only in some sentences: not in `the other hand`, `a joint effort` or `the assay Kit`."""

from __future__ import annotations

import re

#: For a word, what stands before or after it where it is used in another sense.
_OTHER_SENSE: dict[str, tuple[re.Pattern[str] | None, re.Pattern[str] | None]] = {
    "hand": (re.compile(r"\b(?:other|one|second|first|at|by)\s+$", re.IGNORECASE), None),
    "arm": (re.compile(r"\b(?:treatment|control|study|placebo|each|both|trial)\s+$", re.IGNORECASE), None),
    "head": (None, re.compile(r"^(?:[- ](?:to|group|start|of)\b)", re.IGNORECASE)),
    "foot": (None, re.compile(r"^\s+of\b", re.IGNORECASE)),
    "kit": (
        re.compile(
            r"\b(?:assay|isolation|extraction|detection|purification|staining|mini|midi|reagent|synthesis|test|labell?ing|"
            r"elisa|rna|dna|library|preparation|prep|sequencing|transcription|quantification|activity|master mix|pcr)\s+$",
            re.IGNORECASE,
        ),
        None,
    ),
    # Stirring; restless patients are agitated without it.
    "agitation": (
        re.compile(
            r"\b(?:under|constant|gentle|vigorous|mechanical|orbital|continuous|magnetic|by|without)\s+$",
            re.IGNORECASE,
        ),
        None,
    ),
    # The medium is called after a person.
    "eagle": (
        re.compile(r"\b(?:modified|essential)\s+$", re.IGNORECASE),
        re.compile(r"^(?:['\u2019]s)?\s+(?:medium|minim)"),
    ),
    # The adjective; the aldehyde is named by itself.
    "retinal": (
        None,
        re.compile(r"^[\s-]+(?!(?:is|was|and|or|in|of|to|by|from|with|isomer|binding|synthesis)\b)[a-z]"),
    ),
    # An adjective, unless a word of the clinic or no noun at all follows.
    "joint": (
        None,
        re.compile(
            r"^\s+(?!(?:pain|swelling|damage|destruction|inflammation|disease|space|capsule|fluid|stiffness|replacement|"
            r"injur|effusion|cartilage|deformit|tissue|involvement|is|was|and|or|in|of|with|that|has|may|can|to|by|as|"
            r"tenderness|erosion|symptom|mobility|movement|infection|contracture|surface|arthroplasty|degeneration)"
            r")[a-z]",
        ),
    ),
}
#: Characters of context that the patterns need.
_CONTEXT = 24


def is_plain_word(text: str, start: int, end: int) -> bool:
    """Whether `text[start:end]` is used in its everyday sense and names no entity."""
    senses = _OTHER_SENSE.get(text[start:end].lower())
    if senses is None:
        return False
    before, after = senses
    return bool(
        (before and before.search(text[max(0, start - _CONTEXT) : start]))
        or (after and after.search(text[end : end + _CONTEXT]))
    )

"""What a sentence does in an article: report a finding, or say what was studied and how."""

from __future__ import annotations

import re

from retrieval.evidence import Quote

_FINDING = re.compile(
    r"\b(?:significant(?:ly)?|associated\s+with|correlat(?:ed|es|ion)|increas(?:ed?|es)|decreas(?:ed?|es)|"
    r"reduc(?:ed|es)|improv(?:ed|es)|prevent(?:ed|s)|higher|lower|greater|fewer|better|worse|similar|differed|"
    r"no\s+(?:\w+\s+)?(?:difference|evidence|effect)|did\s+not|(?:was|were|is|are)\s+not|found|show(?:ed|s)|"
    r"demonstrat(?:ed|es)|reveal(?:ed|s)|suggest(?:ed|s)?|fail(?:ed|ure|s)\s+to|conclu\w+|odds\s+ratio|hazard\s+ratio|predict(?:ed|s)|"
    r"effective|feasible|reliable)\b|\bp\s*[<=>≤]|\d\s*%",
    re.IGNORECASE,
)
_OPEN = re.compile(  # what is asked or left open, whatever else the sentence says
    r"\b(?:aim(?:s|ed)?|objectives?|purpose|hypothes\w+|sought|controversial|debatable|unclear|unknown|whether|"
    r"not\s+(?:\w+\s+)?(?:known|clear|been\s+(?:clarified|established|studied|determined)))\b"
    r"|\b(?:reviewed|discussed|described|summari[sz]ed|reported)\s+(?:elsewhere|previously|below|above)\b"
    r"|\b(?:reviewed|discussed|described)\s+together\s+with\b"
    r"|\bthis\s+(?:\w+\s+){0,2}(?:review|article|chapter|paper)\s+(?:\w+\s+)?"
    r"(?:summari[sz]es|reviews|discusses|describes|relates|connects|links|outlines|explores)\b"
    r"|\bwe\s+(?:\w+\s+)?(?:summari[sz]e|review|discuss|outline|evaluated|assessed|investigated|examined|explored|studied|compared|tested|reviewed)\b",
    re.IGNORECASE,
)
_AIM = re.compile(
    r"\bto\s+(?:\w+ly\s+)?(?:determine|assess|evaluate|investigate|examine|compare|explore|study|test|identify|describe|"
    r"analy[sz]e|clarify|establish|find\s+out|ascertain|understand|report|review|define)\b",
    re.IGNORECASE,
)
_METHOD = re.compile(
    r"\b(?:questionnaires?|recruited|enrolled|randomi[sz]ed|retrospective(?:ly)?|prospective(?:ly)?|consecutive|"
    r"(?:was|were)\s+(?:performed|included|reviewed|analy[sz]ed|collected|measured|assessed|evaluated|obtained|recorded|"
    r"considered|divided|conducted|administered|treated|surveyed))\b",
    re.IGNORECASE,
)
_TITLE = re.compile(r"title", re.IGNORECASE)
_SECTIONS = (
    (_TITLE, -0.3),
    (re.compile(r"conclusion|interpretation", re.IGNORECASE), 0.35),
    (re.compile(r"result|finding", re.IGNORECASE), 0.3),
    (re.compile(r"discussion", re.IGNORECASE), 0.2),
    (
        re.compile(
            r"background|introduction|objective|aim|purpose|hypothesis|context|question", re.IGNORECASE
        ),
        -0.2,
    ),
    (
        re.compile(r"method|material|design|setting|participants|subjects|patients|measures", re.IGNORECASE),
        -0.3,
    ),
)
_OF_FINDING = 0.3
_OF_AIM = -0.4
_OF_METHOD = -0.2


def states_aim(quote: Quote) -> bool:
    """Whether a sentence, or a title, only says what was studied, or leaves open what was found."""
    if _OPEN.search(quote.text):
        return True
    names_topic = bool(_TITLE.fullmatch(quote.section_path) or _AIM.search(quote.text))
    return names_topic and not _FINDING.search(quote.text)


def worth(quote: Quote) -> float:
    """How much a quote is worth as an answer, by what it and its section do; positive for a finding.

    The scale is that of cosines, so that a finding is preferred to an aim that restates the question.
    """
    section = quote.section_path.rpartition(">")[2]
    placed = next((value for pattern, value in _SECTIONS if pattern.search(section)), 0.0)
    if _OPEN.search(quote.text) or _AIM.search(quote.text):
        return placed + _OF_AIM
    if _FINDING.search(quote.text):
        return placed + _OF_FINDING
    return placed + (_OF_METHOD if _METHOD.search(quote.text) else 0.0)

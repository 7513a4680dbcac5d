"""Figures of the BioWeave paper on BioMedHop, in per cent, for the side of one's own table.

They are of another graph (Monarch and SPOKE), of 10,045 questions, with GPT-4-Turbo and documents of PubMed and the web;
what is measured here on one's own graph is no reproduction of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

SETTING = "GPT-4-Turbo on BioMedHop (10,045 questions over Monarch and SPOKE)"
COLUMNS = (
    "pair MCQ",
    "pair open",
    "intersection MCQ",
    "intersection open",
    "path MCQ",
    "path open",
    "CountEx",
    "overall",
)
#: Table 4.
MAIN: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "IO": (23.0, 2.4, 34.0, 9.3, 26.7, 25.5, 12.5, 18.2),
        "CoT": (31.0, 2.4, 41.0, 7.0, 33.3, 21.8, 15.2, 20.9),
        "Naive Doc": (57.6, 2.4, 63.2, 14.0, 37.8, 29.1, 18.4, 30.1),
        "Naive Web": (61.0, 0.0, 57.9, 9.3, 37.8, 32.7, 17.5, 29.2),
        "ToG": (68.5, 8.4, 52.4, 4.2, 48.5, 49.2, 18.5, 33.5),
        "PoG": (76.5, 12.3, 61.2, 5.5, 65.4, 46.8, 23.4, 39.3),
        "CoK": (65.4, 25.1, 65.8, 18.2, 55.4, 64.5, 21.2, 42.1),
        "ToG-2": (74.2, 38.5, 69.5, 22.4, 63.1, 61.8, 32.5, 49.3),
        "BioWeave": (80.4, 50.6, 80.2, 34.6, 73.2, 68.6, 45.4, 59.8),
    }
)
#: Table 7: BioWeave by source condition.
BY_CONDITION: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "kg": (70.3, 9.5, 53.6, 4.8, 55.4, 15.2, 22.5, 31.7),
        "doc": (56.5, 24.3, 43.2, 12.6, 41.5, 28.4, 14.8, 29.5),
        "web": (57.2, 23.5, 41.8, 11.5, 42.0, 30.1, 15.1, 29.5),
        "doc+web": (60.1, 31.2, 46.5, 16.8, 44.8, 34.5, 17.5, 33.6),
        "kg+doc": (79.4, 43.6, 72.5, 28.4, 68.2, 64.3, 38.6, 54.2),
        "kg+web": (78.8, 42.1, 71.3, 27.5, 67.5, 65.1, 37.2, 53.3),
        "hybrid": (82.5, 49.2, 78.4, 33.5, 72.8, 71.5, 44.2, 59.5),
    }
)
#: Tables 8 and 9: MCQ, open, CountEx, answer, evidence, reasoning; tokens and calls a question.
BIOWEAVE_ABLATIONS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "bioweave": (77.9, 51.3, 45.4, 69.8, 90.4, 83.6, 4200, 4.5),
        "bioweave-no-normalisation": (73.5, 31.5, 22.1, 58.2, 88.5, 76.4, 4100, 4.5),
        "bioweave-no-conversion": (68.2, 44.1, 35.4, 61.3, 75.6, 62.4, 5800, 3.2),
        "bioweave-no-verification": (72.1, 46.5, 38.2, 55.4, 71.5, 70.1, 4800, 2.1),
        "bioweave-relevance-only": (69.5, 42.3, 34.5, 52.6, 68.3, 65.1, 6500, 3.5),
    }
)
#: Win rates of eGoT over No-GoT by domain, in its table 1: comprehensiveness, empowerment, diversity, overall.
EGOT_WINS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "Legal": (59.5, 63.5, 60.5, 63.0),
        "Agriculture": (61.5, 75.0, 49.0, 66.0),
        "Mix": (55.8, 72.85, 62.4, 64.35),
    }
)
#: Points of exact match that similarity expansion adds to INSES with its navigator alone (its section 4.6).
INSES_SIMILARITY: Mapping[str, float] = MappingProxyType({"MuSiQue": 12.0, "2Wiki": 6.0, "HotpotQA": 5.0})
#: Figure 6: overall average where no relation, and where every relation of the graph is kept.
BY_COMPLETENESS: Mapping[float, float] = MappingProxyType({0.0: 48.5, 1.0: 59.8})
#: Table 11: the verifier's semantic answer correctness, evidence support and reasoning completeness of BioWeave.
VERIFIER: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "pair": {"Ans.": "67.5", "Evid.": "91.0", "Reason.": "80.0"},
        "intersection": {"Ans.": "60.5", "Evid.": "86.0", "Reason.": "76.0"},
        "path": {"Ans.": "73.0", "Evid.": "92.0", "Reason.": "86.0"},
        "count": {"Ans.": "48.0", "Evid.": "85.0", "Reason.": "78.0"},
    }
)
#: Figure 5, where the text of the paper gives a figure: sources of BioWeave's right answers.
SOURCES: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "pair": {"KG": "35"},
        "intersection": {"Doc": "28"},
        "path": {"KG-Doc": "34"},
        "count": {"KG": "8", "Doc": "5", "Web": "2", "3-source": "27"},
    }
)
#: Figure 7, where the text of the paper gives a figure: overlap of BioWeave's right answers with the gold path.
OVERLAP: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "pair": {"ratio 0": "under 6", "ratio 1": "65"},
        "intersection": {"ratio 0": "about 6", "ratio 1": "18"},
        "path": {"ratio 0": "about 23", "ratio (0.5, 1)": "32", "ratio 1": "42"},
    }
)
#: Table 15: seconds and calls a question.
EFFICIENCY: Mapping[str, tuple[float, float]] = MappingProxyType(
    {"ToG": (58.4, 14.5), "CoK": (34.2, 9.8), "ToG-2": (26.5, 5.2), "BioWeave": (29.8, 4.5)}
)
#: Table 14: agreement of GPT-4o-mini with two other judges on 500 predictions: answer, evidence, reasoning, error type.
JUDGE_AGREEMENT: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {"Qwen3-80B": (86.4, 74.2, 68.8, 58.6), "DeepSeek-V4": (89.2, 78.6, 72.4, 63.5)}
)


def ablation_note(method: str) -> str:
    """What the papers say of an ablation or of the full system; empty where they say nothing."""
    if method in BIOWEAVE_ABLATIONS:
        mcq, open_, count, *_, tokens, calls = BIOWEAVE_ABLATIONS[method]
        return f"MCQ {mcq}, open {open_}, CountEx {count}, {tokens:.0f} tokens, {calls} calls"
    if method == "egot-no-thoughts":
        return "eGoT wins overall: " + ", ".join(f"{name} {row[-1]}" for name, row in EGOT_WINS.items())
    if method == "inses-no-similarity":
        return "loss of exact match: " + ", ".join(f"{n} {points}" for n, points in INSES_SIMILARITY.items())
    return ""

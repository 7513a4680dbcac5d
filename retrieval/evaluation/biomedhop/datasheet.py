"""The datasheet of built items: the paper's distribution tables beside ours, evidence, validation and rights."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from kg_pipeline.graph.reader import GraphReader
from retrieval.evaluation.biomedhop.build import BuildSettings, Built
from retrieval.evaluation.biomedhop.items import SCHEMA, EvidenceUnit, Item
from retrieval.evaluation.biomedhop.patterns import FAMILIES, Family, Patterns
from retrieval.evaluation.markdown import markdown_table

_MOTIFS: dict[str, tuple[Family, ...]] = {
    "3-edge intersection graph": ("intersection",),
    "2-edge shared neighbor": ("entity_pair",),
    "4-hop chain": ("path", "count"),
}
_TITLES: dict[str, str] = {
    "entity_pair": "Entity Pair Matching",
    "intersection": "Intersection Reasoning",
    "path": "Path-based Reasoning",
    "count": "Path-based Counting",
}


def make_datasheet(
    built: Built, settings: BuildSettings, patterns: Patterns, reader: GraphReader
) -> dict[str, Any]:
    """Everything that a user of the items should know, as JSON; shares are between 0 and 1."""
    items = built.items
    manifest = reader.manifest
    return {
        "schema": SCHEMA,
        "graph": {"corpus": manifest.corpus, "version": manifest.version, "counts": dict(manifest.counts)},
        "settings": asdict(settings),
        "items": len(items),
        "families": _families(built, patterns),
        "short": _short(built),
        "without_instance": _without_instance(built, patterns),
        "evidence_graphs": _evidence_graphs(items, patterns),
        "entity_pair_types": _shares(
            (item.pattern for item in items if item.family == "entity_pair"),
            {pair.id: pair.share / 100 for pair in patterns.pairs},
        ),
        "clue_patterns": _counts(items, ("intersection",), [p.id for p in patterns.clues.patterns]),
        "metapaths": _counts(items, ("path", "count"), [path.id for path in patterns.metapaths]),
        "answers_to_count": dict(sorted(Counter(i.count for i in items if i.family == "count").items())),
        "right_letters": dict(sorted(Counter(item.correct for item in items if item.options).items())),
        "distinct_answers": len({answer.entity_id for item in items for answer in item.answers}),
        "rejected": dict(sorted(built.rejected.items())),
        "evidence": _evidence(items),
        "licenses_of_quotes": _licenses(items, reader),
    }


def _families(built: Built, patterns: Patterns) -> dict[str, Any]:
    counts = Counter(item.family for item in built.items)
    total = max(len(built.items), 1)
    return {
        family: {
            "wanted": built.wanted.get(family, 0),
            "built": counts[family],
            "share": counts[family] / total,
            "paper": patterns.families[family],
            "paper_share": patterns.family_shares[family],
        }
        for family in FAMILIES
    }


def _short(built: Built) -> dict[str, str]:
    """Families that the graph has too few motifs for, in words."""
    counts = Counter(item.family for item in built.items)
    return {
        family: f"{_TITLES[family]}: {counts[family]} of {wanted} wanted"
        for family, wanted in built.wanted.items()
        if counts[family] < wanted
    }


def _without_instance(built: Built, patterns: Patterns) -> dict[Family, list[str]]:
    """Patterns that not one motif was met of, by family: the graph lacks their types or relations."""
    names: dict[Family, list[str]] = {
        "entity_pair": [pair.id for pair in patterns.pairs],
        "intersection": [pattern.id for pattern in patterns.clues.patterns],
        "path": [path.id for path in patterns.metapaths],
        "count": [path.id for path in patterns.metapaths],
    }
    return {
        family: [name for name in found if not built.motifs[family, name]] for family, found in names.items()
    }


def _evidence_graphs(items: Sequence[Item], patterns: Patterns) -> dict[str, Any]:
    counts = Counter(item.family for item in items)
    total, paper = max(len(items), 1), sum(patterns.families.values())
    return {
        motif: {
            "built": sum(counts[family] for family in families),
            "share": sum(counts[family] for family in families) / total,
            "paper_share": sum(patterns.families[family] for family in families) / paper,
        }
        for motif, families in _MOTIFS.items()
    }


def _shares(found: Iterable[str], published: Mapping[str, float]) -> dict[str, Any]:
    counts = Counter(found)
    total = max(counts.total(), 1)
    return {
        name: {"built": counts[name], "share": counts[name] / total, "paper_share": share}
        for name, share in published.items()
    }


def _counts(items: Sequence[Item], families: Sequence[Family], names: Sequence[str]) -> dict[str, Any]:
    counts = Counter((item.family, item.pattern) for item in items)
    return {name: {family: counts[(family, name)] for family in families} for name in names}


def _evidence(items: Sequence[Item]) -> dict[str, Any]:
    hops = sum(len({edge.hop for edge in item.gold}) for item in items)
    found: dict[str, Any] = {}
    for source in ("kg", "doc", "web"):
        units = [[unit for unit in item.evidence if unit.source == source] for item in items]
        covered = sum(len({unit.hop for unit in row}) for row in units)
        found[source] = {
            "units": sum(len(row) for row in units),
            "hops_covered": covered / hops if hops else 0.0,
        }
    articles = [_articles(item.evidence) for item in items if item.evidence]
    found["items_with_several_articles"] = sum(count > 1 for count in articles) / max(len(articles), 1)
    return found


def _articles(units: Iterable[EvidenceUnit]) -> int:
    return len({unit.article_id for unit in units if unit.source == "doc"})


def _licenses(items: Sequence[Item], reader: GraphReader) -> dict[str, int]:
    """Quotes by the licence class of their article: what may be passed on with the items."""
    quoted = Counter(unit.article_id for item in items for unit in item.evidence if unit.source == "doc")
    found: Counter[str] = Counter()
    for document in reader.documents(sorted(quoted)):
        found[document.license_class] += quoted[document.article_id]
    return dict(sorted(found.items()))


def render_datasheet(sheet: Mapping[str, Any]) -> str:
    """The datasheet as Markdown."""
    graph = sheet["graph"]
    lines = [
        f"# {sheet['items']} multi-hop questions from {graph['corpus']} {graph['version']}",
        "",
        "Built after BioMedHop (section 4 and appendix D): every answer is the only one that the graph allows, hedged and "
        "inferred edges included; sets of answers to count are closed in the same sense; no question holds a name of its "
        "answer. Wrong options are of the answer's type and about as long.",
        "",
        f"Schema {sheet['schema']}, seed {sheet['settings']['seed']}.",
        "",
        "## Task families (tables 2 and 18)",
        "",
        markdown_table(
            ("family", "built", "wanted", "share", "paper", "paper's share"),
            [
                (
                    _TITLES[name],
                    row["built"],
                    row["wanted"],
                    _cent(row["share"]),
                    row["paper"],
                    _cent(row["paper_share"]),
                )
                for name, row in sheet["families"].items()
            ],
        ),
        "",
        *_shortfall(sheet),
        "## Evidence graphs (table 3)",
        "",
        _share_table("evidence graph", sheet["evidence_graphs"]),
        "",
        "## Entity pair types (table 16)",
        "",
        _share_table("pair", sheet["entity_pair_types"]),
        "",
        "## Clue patterns",
        "",
        markdown_table(
            ("clues", "built"), [(n, row["intersection"]) for n, row in sheet["clue_patterns"].items()]
        ),
        "",
        "## Metapaths (table 17)",
        "",
        markdown_table(
            ("path", "reasoning", "counting"),
            [(name, row["path"], row["count"]) for name, row in sheet["metapaths"].items()],
        ),
        "",
        "## Answers",
        "",
        *_answers(sheet),
        "## Evidence",
        "",
        markdown_table(
            ("source", "units", "hops with a witness"),
            [
                (name, sheet["evidence"][name]["units"], _cent(sheet["evidence"][name]["hops_covered"]))
                for name in ("kg", "doc", "web")
            ],
        ),
        "",
        f"Items whose documents are of more than one article: {_cent(sheet['evidence']['items_with_several_articles'])}.",
        "",
        "Quotes by licence class of their article (pass the file on only where these allow it): "
        + (", ".join(f"{name} {count}" for name, count in sheet["licenses_of_quotes"].items()) or "none")
        + ".",
        "",
        "## Left out while building",
        "",
        markdown_table(("why", "motifs"), list(sheet["rejected"].items())),
        "",
    ]
    return "\n".join(lines)


def _answers(sheet: Mapping[str, Any]) -> list[str]:
    """How far one could get by habit: always the same number, always the same letter."""
    lines = [f"{sheet['distinct_answers']} different answers."]
    for what, key in (("Numbers to count", "answers_to_count"), ("Right letters", "right_letters")):
        if found := sheet[key]:
            best = max(found.values()) / sum(found.values())
            listed = ", ".join(f"{name}: {count}" for name, count in found.items())
            lines.append(f"{what}: {listed}; always the commonest would be right in {_cent(best)}.")
    return [part for line in lines for part in (line, "")]


def _shortfall(sheet: Mapping[str, Any]) -> list[str]:
    """What the graph has too little of, as paragraphs."""
    lines = []
    if sheet["short"]:
        told = "; ".join(sheet["short"].values())
        lines += [
            f"The graph holds too few motifs: {told}. Where other families had more, they took over the share that was left. "
            "The overall average is that of the families, whatever their sizes, but small ones have wide intervals.",
            "",
        ]
    absent = {family: names for family, names in sheet["without_instance"].items() if names}
    if absent:
        listed = "; ".join(f"{_TITLES[family]}: {', '.join(names)}" for family, names in absent.items())
        lines += [f"Patterns that not one instance was found of: {listed}.", ""]
    return lines


def _share_table(title: str, rows: Mapping[str, Mapping[str, Any]]) -> str:
    return markdown_table(
        (title, "built", "share", "paper's share"),
        [(name, row["built"], _cent(row["share"]), _cent(row["paper_share"])) for name, row in rows.items()],
    )


def _cent(share: float) -> str:
    return f"{100 * share:.1f} %"

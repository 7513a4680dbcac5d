"""An answer as one page: the answer, its sources, the evidence graph to look at and move, and how it came about.

The page loads nothing and sends nothing: its policy allows its own script and style, by their digests, and nothing
else. All text is escaped by the template; the script puts text into the page as text only.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from kg_pipeline.graph.addresses import article_address, is_sample
from kg_pipeline.vocabulary.names.agreement import is_plural, verb
from retrieval.answer import Answer, Citation, EvidenceEdge
from retrieval.answers.explain import explain
from retrieval.words.plain import plain, plain_line


def render_page(answer: Answer) -> str:
    """The page as HTML; the same answer gives the same page but for the seconds that it took."""
    script, style = _asset("answer.js"), _asset("answer.css")
    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["plain"] = plain
    environment.filters["line"] = plain_line
    environment.tests["sample"] = is_sample
    return environment.from_string(_asset("answer.html")).render(
        answer=answer,
        citations=[(citation, article_address(citation.article_id)) for citation in answer.citations],
        quotes={citation.number: citation for citation in answer.citations},
        graph=graph_data(answer),
        trace=explain(answer),
        script=Markup(script),  # noqa: S704 - our own file
        style=Markup(style),  # noqa: S704 - our own file
        policy=(
            f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; "
            "base-uri 'none'; form-action 'none'"
        ),
    )


def graph_data(answer: Answer) -> dict[str, Any]:
    """The evidence graph as the page's script reads it: `nodes`, and `edges` between their positions in it."""
    ids = sorted(answer.graph.entities)
    place = {entity_id: number for number, entity_id in enumerate(ids)}
    premises = {
        claim.relation_id: [
            {"text": plain_line(premise.text), "citations": list(premise.citations)}
            for premise in claim.premises
        ]
        for claim in answer.inferred
    }
    known = {citation.number: citation for citation in answer.citations}
    return {
        "nodes": [{"name": plain_line(answer.graph.entities[entity_id])} for entity_id in ids],
        "edges": [
            _edge(edge, place, known, answer.graph.entities)
            | {"premises": premises.get(edge.relation_id, [])}
            for edge in answer.graph.edges
            if edge.head_id in place and edge.tail_id in place
        ],
    }


def _edge(
    edge: EvidenceEdge, place: Mapping[str, int], known: Mapping[int, Citation], names: Mapping[str, str]
) -> dict[str, Any]:
    return {
        "from": place[edge.head_id],
        "to": place[edge.tail_id],
        "label": verb(edge.predicate, plural=is_plural(names[edge.head_id])),
        "kind": edge.kind,
        "look": "negated" if edge.negated else "asserted" if edge.kind == "asserted" else "inferred",
        "citations": [number for number in edge.citations if number in known],
    }


@cache
def _asset(name: str) -> str:
    return resources.files(__name__).joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()

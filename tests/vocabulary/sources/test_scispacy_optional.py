"""What practitioners met with scispaCy's linker must not reach this one (scispacy): imports, copies between processes, memory."""

from __future__ import annotations

import pickle
import subprocess
import sys

from kg_pipeline.text.abbreviations import find_definitions

_WITHOUT_NMSLIB = """
import sys
sys.modules["nmslib"] = None
sys.modules["scispacy"] = None
import kg_pipeline.extraction.mentions.reading, kg_pipeline.vocabulary.linking.links, kg_pipeline.vocabulary.sources.tables
assert "scispacy.linking" not in sys.modules
"""


def test_recognition_and_linking_load_without_the_index_library_of_scispacy() -> None:
    subprocess.run([sys.executable, "-c", _WITHOUT_NMSLIB], check=True, timeout=120)


def test_abbreviations_are_plain_data_that_another_process_reads() -> None:
    found = find_definitions("Interleukin 6 (IL-6) rose, and interleukin 10 (IL-10) fell.")
    assert pickle.loads(pickle.dumps(found)) == found
    assert [definition.short for definition in found] == ["IL-6", "IL-10"]

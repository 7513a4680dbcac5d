"""The packaged vocabulary, indexed once a session; the folder is shared with the tests of the other packages."""

from __future__ import annotations

import pytest

from kg_pipeline.settings import load_settings
from kg_pipeline.vocabulary.index.build import build_vocabulary
from kg_pipeline.vocabulary.index.lookup import Vocabulary, open_vocabulary
from tests.llm.conftest import open_scripted, server, settings_for, waits

__all__ = ["open_scripted", "server", "settings_for", "vocabulary", "waits"]


@pytest.fixture(scope="session")
def vocabulary(tmp_path_factory: pytest.TempPathFactory) -> Vocabulary:
    settings = load_settings({"KG_HOME": str(tmp_path_factory.getbasetemp() / "shared-vocabulary")})
    return open_vocabulary(build_vocabulary(settings))

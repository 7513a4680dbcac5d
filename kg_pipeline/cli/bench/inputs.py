"""Where benchmarks look for their data when no folder is named."""

from __future__ import annotations

import os
from pathlib import Path


def default_data(*parts: str) -> Path:
    """The file or folder of these parts below `data` of `KG_SHARED`, or of ../shared where that is not set."""
    return Path(os.environ.get("KG_SHARED", "../shared")).joinpath("data", *parts)

"""Digests of files that are asked for often."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kg_pipeline import fingerprint
from kg_pipeline.fingerprint import file_sha256, unchanged_file_sha256


def test_a_file_is_read_again_only_when_it_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []

    def counted(path: Path) -> str:
        read.append(path)
        return file_sha256(path)

    monkeypatch.setattr(fingerprint, "file_sha256", counted)
    path = tmp_path / "table"
    path.write_bytes(b"one")
    first = unchanged_file_sha256(path)
    assert unchanged_file_sha256(path) == first == file_sha256(path)
    assert len(read) == 1
    path.write_bytes(b"longer")
    assert unchanged_file_sha256(path) == file_sha256(path)
    path.write_bytes(b"others")  # as long as before
    os.utime(path, ns=(1, 1))
    assert unchanged_file_sha256(path) == file_sha256(path)
    assert len(read) == 3

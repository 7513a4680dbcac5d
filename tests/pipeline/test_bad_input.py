"""Every mistake a person can make: one clear sentence with what to do, a status that is not 0, nothing lost."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest

from tests.pipeline.command import Kg, command, environment, run_kg

pytestmark = pytest.mark.integration


def complaint(result: subprocess.CompletedProcess[str]) -> str:
    """The one sentence on standard error."""
    assert result.returncode not in (0, None), result.stdout
    assert "Traceback" not in result.stderr + result.stdout, result.stderr
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, result.stderr
    return lines[0]


def test_a_missing_folder(kg: Kg) -> None:
    assert "does not exist" in complaint(kg("build", "mine", "--source", "nowhere"))


def test_an_empty_folder(kg: Kg, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    said = complaint(kg("build", "mine", "--source", "empty"))
    assert "empty" in said
    assert "XML" in said


def test_a_folder_of_pdfs(kg: Kg, tmp_path: Path) -> None:
    (tmp_path / "pdfs").mkdir()
    (tmp_path / "pdfs" / "a.pdf").write_bytes(b"%PDF-1.7 not an article")
    assert "XML" in complaint(kg("build", "mine", "--source", "pdfs"))


def test_a_folder_where_no_article_can_be_used(kg: Kg, tmp_path: Path) -> None:
    (tmp_path / "html").mkdir()
    (tmp_path / "html" / "a.xml").write_text("<html><body>Access denied</body></html>")
    said = complaint(kg("build", "mine", "--source", "html"))
    assert "1 malformed" in said


def test_an_unknown_corpus(kg: Kg) -> None:
    assert "Known: demo" in complaint(kg("build", "lupsu"))


def test_a_question_before_any_build(kg: Kg) -> None:
    assert "kg build demo" in complaint(kg("ask", "demo", "What causes lupus?"))


def test_a_question_to_an_unknown_corpus(kg: Kg) -> None:
    assert "Known: demo" in complaint(kg("ask", "lupsu", "What causes lupus?"))


def test_a_corpora_file_with_a_typo(kg: Kg, tmp_path: Path) -> None:
    (tmp_path / "corpora.toml").write_text('[mine]\nsorce = "x"\n')
    for arguments in (("corpora",), ("build", "demo"), ("ask", "demo", "Why?"), ("ui",)):
        assert "'sorce' is not an option" in complaint(kg(*arguments))


def test_a_setting_with_a_typo(kg: Kg) -> None:
    assert "KG_SHRADS" in complaint(kg("build", "demo", KG_SHRADS="3"))


def test_half_a_language_model(kg: Kg) -> None:
    assert "KG_LLM_BASE_URL" in complaint(kg("build", "demo", KG_LLM_MODEL="m"))


def test_an_unknown_version(built: Path) -> None:
    said = complaint(run_kg(built, "ask", "demo", "What causes lupus?", "--version", "v000000000000"))
    assert "kg versions demo" in said


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk(tmp_path: Path, built: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(small)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("this machine does not let tests mount a small disk")
    try:
        said = complaint(run_kg(small, "build", "demo"))
        assert "full" in said
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def start_build(home: Path) -> subprocess.Popen[str]:
    """Start a build and come back as soon as it has begun to work."""
    process = subprocess.Popen(
        command("build", "demo"),
        env=environment(home),
        cwd=home,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while process.poll() is None and not (home / "datasets" / "demo" / "articles").exists():
        time.sleep(0.05)
    return process


def test_ctrl_c_says_how_to_go_on_and_loses_nothing(warm: Path, built: Path) -> None:
    process = start_build(warm)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "run the same command again" in errors
    assert "Traceback" not in errors
    again = run_kg(warm, "build", "demo")
    assert again.returncode == 0, again.stderr
    assert current(warm) == current(built)


def test_a_second_build_of_the_same_corpus_waits_outside(warm: Path) -> None:
    process = start_build(warm)
    try:
        assert "Another build of corpus 'demo'" in complaint(run_kg(warm, "build", "demo"))
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("after", [0.3, 2.5, 6.0])
def test_kill_9_then_again_is_the_undisturbed_version(warm: Path, built: Path, after: float) -> None:
    process = start_build(warm)
    time.sleep(after)
    process.kill()
    process.communicate()
    again = run_kg(warm, "build", "demo")
    assert again.returncode == 0, again.stderr
    assert current(warm) == current(built)
    assert "verifies" in run_kg(warm, "verify", "demo").stdout


def test_a_damaged_version_is_named(tmp_path: Path, built: Path) -> None:
    home = tmp_path / "copy"
    shutil.copytree(built, home)
    folder = home / "graphs" / "demo" / current(home)
    victim = max(folder.rglob("*.arrow"), key=lambda path: path.stat().st_size)
    victim.write_bytes(victim.read_bytes()[:-100])
    assert "kg build demo" in complaint(run_kg(home, "verify", "demo"))


def current(home: Path) -> str:
    """Version that `CURRENT` names."""
    return (home / "graphs" / "demo" / "CURRENT").read_text().strip()


@pytest.mark.parametrize(
    "victim", ["graphs/demo/*/tables/relations.arrow", "datasets/demo/triples/*.parquet"]
)
def test_a_build_mends_what_was_damaged(tmp_path: Path, built: Path, victim: str) -> None:
    home = tmp_path / "copy"
    shutil.copytree(built, home)
    path = max(home.glob(victim), key=lambda path: path.stat().st_size)
    path.write_bytes(path.read_bytes()[:40])
    again = run_kg(home, "build", "demo")
    assert again.returncode == 0, again.stderr
    assert current(home) == current(built)
    assert "verifies" in run_kg(home, "verify", "demo").stdout


def test_an_empty_question(built: Path) -> None:
    assert "ask one in words" in complaint(run_kg(built, "ask", "demo", "  "))


def test_a_source_that_cannot_be_read_does_not_spend_the_name(kg: Kg, tmp_path: Path) -> None:
    (tmp_path / "paper.pdf").write_bytes(b"%PDF-1.7")
    complaint(kg("build", "mine", "--source", "paper.pdf"))
    assert "mine" not in kg("corpora").stdout


def test_a_home_below_a_file(kg: Kg, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    assert "KG_HOME" in complaint(kg("build", "demo", KG_HOME=str(tmp_path / "file" / "home")))


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs a folder that not even root may write to")
def test_a_home_that_cannot_be_written(kg: Kg) -> None:
    assert "KG_HOME" in complaint(kg("build", "demo", KG_HOME="/proc/kg"))


def test_the_reason_of_every_article_that_is_not_used_can_be_read(built: Path) -> None:
    listed = run_kg(built, "articles", "demo").stdout
    assert "retracted" in listed
    assert "11 of 13 articles are ok" in listed

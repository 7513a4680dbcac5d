"""A corpus that is a query, with the command line: build, preview, refresh, build, and a kill in between."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from rich.console import Console

import kg_pipeline
from kg_pipeline.cli import refreshing
from kg_pipeline.datasets import Datasets
from kg_pipeline.errors import CorpusError
from tests.pipeline.command import Completed, command, environment, run_kg
from tests.pmc.remote.server import Asked, Reply, Server, serving
from tests.pmc.remote.services import Pmc

pytestmark = pytest.mark.integration

ARTICLES = Path(kg_pipeline.__file__).parent / "demo" / "articles"
FIRST = 99900001
KEY = "k3y-of-nobody"
SENTENCE = "Ultraviolet B (UVB) radiation induces apoptosis of keratinocytes."
NEW_SENTENCE = "Ultraviolet B (UVB) radiation inhibits apoptosis of keratinocytes."


def content(number: int) -> bytes:
    return (ARTICLES / f"PMC{number}.xml").read_bytes()


def listed(numbers: list[int]) -> Pmc:
    """Services that hold these sample articles, all of which the query finds."""
    pmc = Pmc(found={"lupus": numbers})
    for number in numbers:
        pmc.bucket.add(number, content=content(number))
    return pmc


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


class Workspace:
    """A workspace with one corpus, `uv`, whose services are those of the server."""

    def __init__(self, home: Path, built: Path, server: Server) -> None:
        # What any build may reuse: the index of the vocabulary, and vectors.
        shutil.copytree(built / "cache", home / "cache")
        self.home = home
        self.server = server
        self.datasets = Datasets(home / "datasets")
        (home / "corpora.toml").write_text('[uv]\nquery = "lupus"\n')
        services = {f"KG_PMC_{name}_URL": server.url for name in ("ENTREZ", "CLOUD", "EUROPEPMC")}
        self.variables = {
            **services,
            "KG_PMC_REQUESTS_PER_SECOND": "1000",
            "KG_PMC_THREADS": "2",
            "KG_SHARDS": "4",
            "KG_PMC_API_KEY": KEY,
            "KG_PMC_EMAIL": "me@lab.example",
            "NO_PROXY": "127.0.0.1",
            "XDG_CACHE_HOME": str(home / "cache-of-user"),
        }
        self.output = ""

    def kg(self, *arguments: str) -> Completed:
        result = run_kg(self.home, *arguments, **self.variables)
        self.output += result.stdout + result.stderr
        return result

    def ok(self, *arguments: str) -> str:
        result = self.kg(*arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def version(self) -> str:
        return (self.home / "graphs" / "uv" / "CURRENT").read_text().strip()

    def column(self, dataset: str, name: str) -> dict[str, object]:
        frame = self.datasets.scan(dataset, "uv").select("article_id", name).collect()
        return dict(frame.iter_rows())

    def supporting(self) -> set[str]:
        """Articles that the current graph has evidence of."""
        folder = self.home / "graphs" / "uv" / self.version()
        return set(pl.read_ipc(folder / "tables" / "evidence.arrow")["article_id"])

    def downloads(self) -> list[str]:
        return [path for path in self.server.paths() if path.endswith(".xml")]


@pytest.fixture
def workspace(tmp_path: Path, built: Path, server: Server) -> Workspace:
    return Workspace(tmp_path, built, server)


def test_build_refresh_build(
    workspace: Workspace, built: Path, server: Server, tmp_path_factory: pytest.TempPathFactory
) -> None:
    numbers = [FIRST + n for n in range(4)]
    changed, retracted, left, new = FIRST, FIRST + 1, FIRST + 2, FIRST + 6
    pmc = listed(numbers)
    server.handler = pmc.handler

    workspace.ok("build", "uv")
    before = workspace.version()
    assert f"PMC{retracted}" in workspace.supporting()
    assert len(workspace.downloads()) == len(numbers)
    finished = workspace.column("triples.status", "input_digest")

    # Nothing has changed, and a build of a query asks nobody.
    asked = len(server.asked)
    assert "Nothing changed" in workspace.ok("build", "uv")
    assert len(server.asked) == asked

    text = content(changed).decode()
    assert SENTENCE in text
    pmc.bucket.add(changed, 2, text.replace(SENTENCE, NEW_SENTENCE).encode())
    pmc.bucket.add(retracted, content=content(retracted), is_retracted=True)
    pmc.bucket.add(new, content=content(new))
    pmc.found["lupus"] = [*(number for number in numbers if number != left), new]

    told = "1 added, 1 updated, 1 retracted, 1 withdrawn, 1 unchanged"
    preview = workspace.ok("refresh", "uv", "--preview")
    assert told in preview
    assert f"fetch 2 articles (PMC{changed}, PMC{new})" in preview
    assert re.search(r"takes 2 requests, about \d+\.\d kB", preview), preview
    assert "without a language model" in preview
    lost = [f"PMC{retracted} is retracted: ", f"PMC{left} is withdrawn: "]
    assert all(line in preview for line in lost)
    assert set(workspace.column("article_index", "change").values()) == {"added"}

    refreshed = workspace.ok("refresh", "uv")
    assert told in refreshed
    assert "Next: kg build uv" in refreshed
    assert all(line in refreshed for line in lost)
    assert workspace.version() == before

    downloaded = len(workspace.downloads())
    workspace.ok("build", "uv")
    assert sorted(workspace.downloads()[downloaded:]) == [
        f"/PMC{changed}.2/PMC{changed}.2.xml",
        f"/PMC{new}.1/PMC{new}.1.xml",
    ]
    assert workspace.version() != before
    assert {f"PMC{retracted}", f"PMC{left}"}.isdisjoint(workspace.supporting())
    again = workspace.column("triples.status", "input_digest")
    assert {article for article in again if again[article] != finished.get(article)} == {
        f"PMC{changed}",
        f"PMC{new}",
    }
    assert workspace.column("documents", "version")[f"PMC{changed}"] == 2
    assert NEW_SENTENCE in str(workspace.column("documents", "text")[f"PMC{changed}"])
    assert computed(workspace.home) == {"documents": 2, "chunks": 2, "mentions": 2, "triples": 2}

    assert "Nothing changed." in workspace.ok("refresh", "uv")
    is_secret_kept(workspace)

    # What was retracted and withdrawn left nothing: a corpus that never had it makes the same graph.
    pmc.found["lupus"] = [changed, FIRST + 3, new]
    other = Workspace(tmp_path_factory.mktemp("other"), built, server)
    other.ok("build", "uv")
    assert workspace.version() == other.version()


def test_kill_9_while_fetching_then_again(workspace: Workspace, server: Server) -> None:
    numbers = [FIRST + n for n in range(7)]
    pmc = listed(numbers)
    pmc.slow = 0.4
    server.handler = pmc.handler
    process = subprocess.Popen(
        command("build", "uv"),
        env={**environment(workspace.home), **workspace.variables},
        cwd=workspace.home,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    deadline = time.monotonic() + 200
    while len(workspace.downloads()) < 5 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert process.returncode == -signal.SIGKILL
    stored = list((workspace.home / "raw").rglob("*.xml.zst"))
    assert 2 <= len(stored) < len(numbers)
    interrupted = len(workspace.downloads())

    pmc.slow = 0.0
    workspace.ok("build", "uv")
    # What had arrived is not asked for again; two requests at most were under way.
    assert len(workspace.downloads()) - interrupted <= len(numbers) - len(stored)
    assert max(Counter(workspace.downloads()).values()) <= 2
    assert len(workspace.downloads()) <= len(numbers) + 2
    statuses = Counter(workspace.column("articles", "status").values())
    assert sum(statuses.values()) == len(numbers)
    assert not statuses["failed"]


def test_mistakes_are_told_in_one_sentence(workspace: Workspace, server: Server) -> None:
    server.handler = Pmc().handler
    for arguments in (("build", "uv"), ("refresh", "uv", "--preview")):
        result = workspace.kg(*arguments)
        assert result.returncode == 1
        assert "Traceback" not in result.stderr
        assert "No article of PMC matches the query lupus" in result.stderr
        assert "does not know the phrase" in result.stderr
    assert not workspace.datasets.exists("article_index", "uv")
    is_secret_kept(workspace)


def test_a_corpus_that_there_is_not_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KG_HOME", str(tmp_path))
    with pytest.raises(CorpusError, match="There is no corpus named 'vu'"):
        refreshing.refresh("vu", Console())


def test_articles_that_cannot_be_fetched_stop_the_build_and_are_asked_for_again(
    workspace: Workspace, server: Server
) -> None:
    pmc = listed([FIRST + n for n in range(2)])
    names = [f"PMC{FIRST + n}.1/PMC{FIRST + n}.1.xml" for n in range(2)]

    def handler(asked: Asked) -> Reply:
        return Reply(b"gone", 404) if asked.path.lstrip("/") in names else pmc.handler(asked)

    server.handler = handler
    result = workspace.kg("build", "uv")
    assert result.returncode == 1
    assert "2 of 2 articles failed stage articles" in result.stderr
    assert "its XML is not in the bucket" in result.stderr
    server.handler = pmc.handler
    workspace.ok("build", "uv")
    assert set(workspace.column("articles", "status").values()) == {"ok"}


def test_a_corpus_of_files_has_a_refresh_too(workspace: Workspace) -> None:
    preview = workspace.ok("refresh", "demo", "--preview")
    assert "13 added, 0 updated" in preview
    assert not (workspace.home / "datasets" / "demo").exists()
    assert "13 added" in workspace.ok("refresh", "demo")
    assert "0 added, 0 updated, 0 retracted, 0 withdrawn, 13 unchanged" in workspace.ok(
        "refresh", "demo", "--preview"
    )


def computed(home: Path) -> dict[str, int]:
    """Articles that the last run of each stage had to do, as Dagster recorded them."""
    import dagster as dg

    counts = {}
    with dg.DagsterInstance.from_config(str(home / "dagster")) as instance:
        for stage in ("documents", "chunks", "mentions", "triples"):
            event = instance.get_latest_materialization_event(dg.AssetKey(stage))
            assert event is not None
            assert event.asset_materialization is not None
            counts[stage] = int(event.asset_materialization.metadata["computed"].value)
    return counts


def is_secret_kept(workspace: Workspace) -> None:
    """The key was used, and stands in no output, no file of the workspace (Dagster's included), no address."""
    assert any(asked.values.get("api_key") == KEY for asked in workspace.server.asked)
    assert all(KEY not in asked.target for asked in workspace.server.asked)
    assert KEY not in workspace.output
    for path in workspace.home.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path

"""A real Neo4j Community server for development and tests, from its jars in Maven Central; needs `java` 17 and `mvn`.

The jars are fetched once, into `$KG_NEO4J_HOME` or `~/.cache/kg-pipeline/neo4j`; each server has a folder of its own
for data, configuration and log, listens on a free loopback port, and is ended by its process id. For production use
the official packages or compose.yaml.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import SecretStr

from kg_pipeline.errors import SettingsError, StoreUnavailable
from kg_pipeline.files import temporary_sibling, write_text
from kg_pipeline.graph.neo4j.client import ping
from kg_pipeline.settings import Neo4jSettings

VERSION = "5.26.9"
_POM = Path(__file__).with_name("pom.xml")
_READY_SECONDS = 120.0
_STOP_SECONDS = 30.0
_FETCH_SECONDS = 900.0
_LOG_LINES = 5
_OPENED = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")


@dataclass(frozen=True, slots=True)
class LocalNeo4j:
    """A running server: how to connect to it, and the process to end."""

    settings: Neo4jSettings
    folder: Path
    process: subprocess.Popen[bytes] = field(repr=False)

    def stop(self) -> None:
        """Ask the process to end, wait, then kill it; data stay in the folder."""
        stop(self.folder)
        _ended(self.process)


def missing_programs() -> list[str]:
    """Programs that a local server needs and this machine lacks."""
    return [program for program in ("java", "mvn") if shutil.which(program) is None]


def start(folder: Path, *, password: str = "", heap_megabytes: int = 1024) -> LocalNeo4j:
    """Start a server in a folder, new or used before, and wait until it answers.

    Parameters
    ----------
    folder
        Data, configuration, log and process id go here.
    password
        Password of user `neo4j`, at least 8 characters; empty turns authentication off. Set on the first start.
    heap_megabytes
        Java heap.

    Raises
    ------
    SettingsError
        If `java` or `mvn` is missing, or a server of this folder is running already.
    StoreUnavailable
        If the jars cannot be fetched or the server does not come up.

    """
    if missing := missing_programs():
        raise SettingsError(
            f"A local Neo4j needs {' and '.join(missing)}. Install: apt-get install openjdk-17-jre maven"
        )
    if (running := running_pid(folder)) is not None:
        raise SettingsError(f"Neo4j is already running in {folder}, process {running}.")
    jars = fetch_jars()
    port = _free_port()
    _configure(folder, port, with_password=bool(password))
    if password and not (folder / "data" / "databases").exists():
        _set_password(jars, folder, password)
    log = folder / "server.log"
    arguments = [
        *_java(jars, heap_megabytes),
        "org.neo4j.server.CommunityEntryPoint",
        *_home(folder),
        "--console-mode",
    ]
    with log.open("wb") as output:
        process = subprocess.Popen(arguments, stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
    settings = Neo4jSettings(uri=f"bolt://127.0.0.1:{port}", password=SecretStr(password))
    try:
        write_text(folder / "pid", str(process.pid))
        write_text(folder / "uri", settings.uri)
        _wait_until_ready(settings, process, log)
    except BaseException:
        stop(folder)
        _ended(process)
        raise
    return LocalNeo4j(settings, folder, process)


def stop(folder: Path) -> bool:
    """End the server of a folder; False if none is running."""
    pid = running_pid(folder)
    if pid is not None:
        os.kill(pid, signal.SIGTERM)
        deadline = time.monotonic() + _STOP_SECONDS
        while running_pid(folder) is not None and time.monotonic() < deadline:
            time.sleep(0.1)
        if running_pid(folder) is not None:
            os.kill(pid, signal.SIGKILL)
    (folder / "pid").unlink(missing_ok=True)
    return pid is not None


def _ended(process: subprocess.Popen[bytes]) -> None:
    """Collect a process that was asked to end; one that was not, because its folder is gone, is killed."""
    try:
        process.wait(timeout=_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def running_pid(folder: Path) -> int | None:
    """Process id of the server of a folder, if it runs."""
    try:
        pid = int((folder / "pid").read_text())
        command = Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError, ValueError):
        return None
    # The id may have gone to another process; and an ended child that nobody waited for has no command line.
    return pid if str(folder).encode() in command else None


def fetch_jars() -> Path:
    """Folder of the server's jars; fetched by Maven the first time.

    Raises
    ------
    StoreUnavailable
        If Maven fails.

    """
    cache = Path(os.environ.get("KG_NEO4J_HOME") or Path.home() / ".cache" / "kg-pipeline" / "neo4j")
    jars = cache / VERSION
    jars.parent.mkdir(parents=True, exist_ok=True)
    try:
        with FileLock(cache / ".lock", timeout=_FETCH_SECONDS):
            if not jars.is_dir():
                _fetch(jars)
    except Timeout as error:
        raise StoreUnavailable(
            f"Another process has been fetching Neo4j for {_FETCH_SECONDS:.0f} s ({error.lock_file} is locked). "
            "End it, then start again."
        ) from error
    return jars


def _fetch(jars: Path) -> None:
    aside = temporary_sibling(jars)
    goal = ["dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={aside}"]
    try:
        result = subprocess.run(
            ["mvn", "-q", "-B", "-f", str(_POM), *goal],  # noqa: S607 - the user's own Maven
            capture_output=True,
            text=True,
            timeout=_FETCH_SECONDS,
            check=False,
        )
        if result.returncode:
            said = next(
                (line for line in result.stdout.splitlines() if "ERROR" in line), result.stderr.strip()
            )
            raise StoreUnavailable(f"Maven cannot fetch Neo4j {VERSION}: {said}")
        aside.rename(jars)
    except subprocess.TimeoutExpired as error:
        raise StoreUnavailable(f"Maven did not fetch Neo4j {VERSION} in {_FETCH_SECONDS:.0f} s.") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _configure(folder: Path, port: int, *, with_password: bool) -> None:
    for name in ("conf", "data", "logs", "run", "plugins", "import", "licenses"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    options = {
        "server.default_listen_address": "127.0.0.1",
        "server.bolt.listen_address": f"127.0.0.1:{port}",
        "server.bolt.advertised_address": f"127.0.0.1:{port}",
        "server.http.enabled": "false",
        "server.https.enabled": "false",
        "server.memory.pagecache.size": "256m",
        "dbms.security.auth_enabled": str(with_password).lower(),
        "dbms.usage_report.enabled": "false",
    }
    write_text(folder / "conf" / "neo4j.conf", "".join(f"{key}={value}\n" for key, value in options.items()))


def _java(jars: Path, heap_megabytes: int) -> list[str]:
    opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in _OPENED]
    return [
        "java",
        f"-Xms{heap_megabytes}m",
        f"-Xmx{heap_megabytes}m",
        "-XX:+UseParallelGC",
        *opened,
        "-Dlog4j2.disable.jmx=true",
        "-cp",
        f"{jars}/*",
    ]


def _home(folder: Path) -> list[str]:
    return [f"--home-dir={folder}", f"--config-dir={folder / 'conf'}"]


def _set_password(jars: Path, folder: Path, password: str) -> None:
    try:
        result = subprocess.run(
            [*_java(jars, 256), "org.neo4j.cli.AdminTool", "dbms", "set-initial-password", password],
            capture_output=True,
            text=True,
            env={**os.environ, "NEO4J_HOME": str(folder), "NEO4J_CONF": str(folder / "conf")},
            timeout=_READY_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise StoreUnavailable(
            f"The password of the local Neo4j was not set in {_READY_SECONDS:.0f} s."
        ) from error
    if result.returncode:
        raise StoreUnavailable(f"The password of the local Neo4j cannot be set: {result.stderr.strip()}")


def _wait_until_ready(settings: Neo4jSettings, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _READY_SECONDS
    while True:
        try:
            ping(settings)
        except StoreUnavailable:
            ended = process.poll() is not None
            if ended or time.monotonic() > deadline:
                tail = " | ".join(log.read_text(errors="replace").splitlines()[-_LOG_LINES:])
                raise StoreUnavailable(f"The local Neo4j did not come up: {tail}") from None
            time.sleep(0.5)
        else:
            return


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port

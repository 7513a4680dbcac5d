"""`kg ui`: Dagster's webserver and daemon on this workspace."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

from rich.console import Console

from kg_pipeline.cli import instance as dagster_instance
from kg_pipeline.corpora import load_corpora
from kg_pipeline.errors import SettingsError
from kg_pipeline.settings import load_settings

_LOOPBACK = "127.0.0.1"
_WORKSPACE = """\
load_from:
  - python_module:
      module_name: kg_pipeline.definitions
      location_name: kg_pipeline
"""


def serve(host: str, port: int, console: Console) -> None:
    """Run `dagster dev` until it is interrupted.

    Raises
    ------
    SettingsError
        If the port is taken.
    CorpusError
        If the corpora file cannot be read: better here in a sentence than in a traceback in the browser.

    """
    settings = load_settings()
    load_corpora(settings.corpora_file)
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if probe.connect_ex((_LOOPBACK, port)) == 0:
            raise SettingsError(f"Port {port} is taken. Give another: kg ui --port {port + 1}")
    dagster_instance.open_instance(settings).dispose()
    workspace = Path("workspace.yaml")
    if not workspace.is_file():
        workspace = settings.dagster_home / "workspace.yaml"
        workspace.write_text(_WORKSPACE)
    address = f"http://{_LOOPBACK}:{port}"
    console.print(f"Dagster opens on {address} (Ctrl-C ends it).")
    if host != _LOOPBACK:
        console.print(f"It listens on {host} and asks for no password: whoever reaches it can start runs.")
    # It tells everybody who starts it that another command is to come, which is nothing to a user of ours.
    quiet = ("-W", "ignore:Function `dev_command` is superseded")
    served = ("-w", str(workspace), "-h", host, "-p", str(port))
    command = [sys.executable, *quiet, "-m", "dagster", "dev", *served]
    sys.stdout.flush()
    _reload_with(settings.corpora_file, address)
    # A job in the background of a script is born deaf to Ctrl-C; Dagster would take SIGTERM for it and not end either.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # In place of this process, so that Ctrl-C and any other signal reach Dagster, which ends its children.
    os.execv(sys.executable, command)  # noqa: S606 - no shell is involved


def _reload_with(corpora_file: Path, address: str) -> None:
    """Start the process that reloads the code location when the corpora file changes."""
    module = "kg_pipeline.cli.reloading"
    subprocess.Popen(
        [sys.executable, "-m", module, str(corpora_file), address, str(os.getpid())], stdin=subprocess.DEVNULL
    )

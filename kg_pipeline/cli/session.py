"""`kg ask CORPUS -i`: one question after the other over one opened graph."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from dataclasses import dataclass, field

from rich.console import Console

import retrieval
from kg_pipeline.cli.asking import Form, open_corpus, show
from kg_pipeline.errors import KgError, SettingsError
from retrieval.followup import Turn, Unclear, resolve
from retrieval.methods.asking import understand
from retrieval.methods.registry import find_method
from retrieval.words.plain import plain_line

_PROMPT = "> "
_HELP = """\
Ask a question in plain words. It may lean on the one before: "it", "its", "they", "their" stand for the one thing that
the last answer named, or for the one entity of a last question that asked for no such thing; "this drug" or "those cells"
for the one entity of that type; "what about X?" asks the last question of X. What is put in is told; where it could be several, you are asked.

  :why             how the last answer came about, and what was dropped and why
  :method          the method in use, and the others
  :method NAME     use another one
  :help            this text
  :quit            leave (so does Ctrl-D; Ctrl-C stops an answer)"""


@dataclass(slots=True)
class Session:
    """A conversation over one graph."""

    graph: retrieval.Graph
    console: Console
    method: str
    form: Form = field(default_factory=Form)
    last: Turn | None = None
    failures: int = 0  # lines that ended in an error

    def take(self, line: str) -> bool:
        """Do what a line says; whether the session goes on. Errors are told and counted, not raised."""
        words = line.strip()
        if words == ":quit":
            return False
        try:
            if words.startswith(":"):
                self._command(*words.split(maxsplit=1))
            elif words:
                self._ask(words)
        except KgError as error:
            self.failures += 1
            self._say(f"error: {error}")
        return True

    def _command(self, name: str, argument: str = "") -> None:
        if name == ":help":
            self._say(_HELP)
        elif name == ":why":
            self._why()
        elif name == ":method":
            self._use(argument.strip())
        else:
            raise SettingsError(f"There is no command {plain_line(name)}; :help lists them.")

    def _ask(self, words: str) -> None:
        understood = resolve(words, self.last, self.graph.context)
        if isinstance(understood, Unclear):
            self._say(plain_line(understood.sentence))
            return
        if not self.form.as_json:
            for told in understood.told:
                self._say(plain_line(told))
        answer = self.graph.ask(understood.question, method=self.method)
        self.last = Turn(understand(understood.question, self.graph.context), answer, understood.topic)
        show(answer, self.form, self.console)

    def _why(self) -> None:
        if self.last is None:
            self._say("Nothing was asked yet.")
        else:
            show(self.last.answer, Form(explain=True, text=False), self.console)

    def _use(self, name: str) -> None:
        if name:
            self.method = find_method(name).name
        others = ", ".join(method for method in sorted(retrieval.METHODS) if method != self.method)
        self._say(f"Method: {self.method}. Others: {others}.")

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False)


def converse(
    corpus: str, question: str | None, version: str, method: str, form: Form, console: Console
) -> bool:
    """Hold a session on standard input, beginning with a question if there is one; whether no line ended in an error."""
    if form.html is not None:
        raise SettingsError("--html makes the page of one question; leave out -i.")
    find_method(method)
    with open_corpus(corpus, version) as graph:
        session = Session(graph, console, method, form)
        if question is not None:
            session.take(question)
        if sys.stdin.isatty():
            console.print(f"{graph.corpus} {graph.version}. Ask, or :help, :quit.", markup=False)
            _attend(session)
        else:
            _follow(session)
    return session.failures == 0


def _attend(session: Session) -> None:
    """Questions that a person types."""
    ask = _prompt()
    going = True
    while going:
        try:
            going = session.take(ask(_PROMPT))
        except EOFError:
            session.console.print()
            return
        except KeyboardInterrupt:
            session.console.print("\nStopped. Leave with :quit or Ctrl-D.")


def _prompt() -> Callable[[str], str]:
    """`input`, with the line editing and the history of the platform where it has them."""
    try:
        import readline  # noqa: F401 - input() uses it once it is loaded
    except ImportError:
        return input
    return input


def _follow(session: Session) -> None:
    """Questions that a file or another program gives, each shown before its answer; bytes that are no text are marked."""
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")
    for line in sys.stdin:
        if line.strip() and not session.form.as_json:
            session.console.print(f"{_PROMPT}{plain_line(line)}", markup=False)
        if not session.take(line):
            return
        if line.strip() and not session.form.as_json:
            session.console.print()

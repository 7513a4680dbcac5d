"""One budget for all processes of a run: real processes, a real file."""

from __future__ import annotations

import multiprocessing
import os
import signal
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from kg_pipeline.errors import BudgetExhausted, LlmError
from kg_pipeline.llm.account import Account, Spent, own_run, shared_run
from kg_pipeline.llm.budget import Ledger, Usage


def _spend(file: Path, rounds: int) -> None:
    ledger = Ledger(budget_tokens=1000, account=Account(file, "run"))
    for _ in range(rounds):
        try:
            with ledger.reservation(10, 30):
                ledger.book("triples", Usage(calls=1, prompt_tokens=10, completion_tokens=20))
        except BudgetExhausted:
            return


def _die_under_way(file: Path) -> None:
    with Ledger(budget_tokens=1000, account=Account(file, "run")).reservation(300, 300):
        os.kill(os.getpid(), signal.SIGKILL)


def _run(target: object, *arguments: object) -> list[int | None]:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=target, args=arguments) for _ in range(3)]  # type: ignore[arg-type]
    for process in processes:
        process.start()
    for process in processes:
        process.join(60)
    return [process.exitcode for process in processes]


def test_processes_of_one_run_keep_to_one_budget_together(tmp_path: Path) -> None:
    file = tmp_path / "spending.sqlite"
    assert _run(_spend, file, 25) == [0, 0, 0]  # 75 requests of 30 tokens, of which 33 fit
    assert 900 <= Account(file, "run").spent.tokens <= 1000
    ledger = Ledger(budget_tokens=1000, account=Account(file, "run"))
    with pytest.raises(BudgetExhausted, match="all its processes together"), ledger.reservation(50, 60):
        pytest.fail("was let through")


def test_another_run_begins_with_nothing_spent(tmp_path: Path) -> None:
    file = tmp_path / "spending.sqlite"
    Account(file, "first").book(Spent(900, 1.0))
    assert Account(file, "second").spent == Spent(0, 0.0)
    assert Account(file, "second").reserve(Spent(200, 0.0), most_tokens=1000, most_cost=0) is not None


def test_what_a_killed_process_had_under_way_counts_as_spent(tmp_path: Path) -> None:
    file = tmp_path / "spending.sqlite"
    codes = _run(_die_under_way, file)
    assert codes.count(-signal.SIGKILL) == 1  # the others were refused: 600 of 1000 were set aside
    assert Account(file, "run").spent.tokens == 600


def test_what_was_set_aside_and_not_used_is_given_back(tmp_path: Path) -> None:
    ledger = Ledger(1.0, 1.0, budget_cost=1.0, account=Account(tmp_path / "s.sqlite", "run"))
    with pytest.raises(ZeroDivisionError), ledger.reservation(500_000, 400_000):
        raise ZeroDivisionError
    assert ledger.account is not None
    assert ledger.account.spent == Spent(0, 0.0)
    ledger.book("triples", Usage(prompt_tokens=300_000))
    assert ledger.account.spent == Spent(300_000, pytest.approx(0.3))


def test_without_a_budget_nothing_is_written(tmp_path: Path) -> None:
    ledger = Ledger(account=Account(tmp_path / "s.sqlite", "run"))
    with ledger.reservation(10, 10):
        ledger.book("triples", Usage(prompt_tokens=10))
    assert not list(tmp_path.iterdir())


def test_an_account_that_cannot_be_written_is_an_error_and_not_free_money(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LlmError, match="Check that its folder is writable"):
        Account(tmp_path / "file" / "s.sqlite", "run").reserve(Spent(1, 0), most_tokens=9, most_cost=0)


def test_a_process_is_one_run_of_its_own() -> None:
    assert own_run() == own_run()


def _join(folder: Path, spend: int, end: Connection) -> None:
    """A run: it joins, spends if the budget allows it, tells what it is called and stays until it is told to end."""
    run = shared_run(folder)
    ledger = Ledger(budget_tokens=1000, account=Account(folder / "spending.sqlite", run))
    try:
        with ledger.reservation(spend, 0):
            ledger.book("triples", Usage(calls=1, prompt_tokens=spend))
        outcome = "spent"
    except BudgetExhausted:
        outcome = "refused"
    end.send((run, outcome))
    end.poll(60)


@dataclass(frozen=True)
class Run:
    """A process that has joined a budget: what it called it, and whether it was let spend."""

    process: multiprocessing.process.BaseProcess
    end: Connection
    name: str
    outcome: str

    def finish(self) -> None:
        self.end.send("end")
        self.process.join(60)

    def kill(self) -> None:
        os.kill(int(self.process.pid or 0), signal.SIGKILL)
        self.process.join(60)


def _start(folder: Path, spend: int) -> Run:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe()
    process = context.Process(target=_join, args=(folder, spend, theirs))
    process.start()
    assert ours.poll(60), "the run did not say that it has joined"
    name, outcome = ours.recv()
    return Run(process, ours, name, outcome)


def test_runs_at_the_same_time_share_a_budget_and_the_next_one_begins_anew(tmp_path: Path) -> None:
    first, second = _start(tmp_path, 700), _start(tmp_path, 700)
    assert (first.outcome, second.outcome) == ("spent", "refused")
    assert first.name == second.name
    first.finish()
    # The second is still under way, so the budget of both goes on; what the first one spent still counts.
    third = _start(tmp_path, 700)
    assert (third.name, third.outcome) == (first.name, "refused")
    second.kill()
    third.kill()
    fourth = _start(tmp_path, 700)
    assert fourth.name != first.name
    assert fourth.outcome == "spent"
    fourth.finish()


def test_runs_of_other_homes_have_budgets_of_their_own(tmp_path: Path) -> None:
    a, b = _start(tmp_path / "a", 700), _start(tmp_path / "b", 700)
    assert (a.name != b.name, b.outcome) == (True, "spent")
    a.finish()
    b.finish()


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LlmError, match="Check that the folder is writable"):
        shared_run(tmp_path / "file" / "llm")

"""One budget for all processes of a run: real processes, a real file."""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
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


def _join(folder: Path, name: str, spend: int, may_end: object) -> None:
    """A run: it joins, spends if the budget allows it, tells what it is called and stays until it may end."""
    run = shared_run(folder)
    ledger = Ledger(budget_tokens=1000, account=Account(folder / "spending.sqlite", run))
    try:
        with ledger.reservation(spend, 0):
            ledger.book("triples", Usage(calls=1, prompt_tokens=spend))
        outcome = "spent"
    except BudgetExhausted:
        outcome = "refused"
    (folder / "told").mkdir(parents=True, exist_ok=True)
    told = folder / "told" / name
    told.with_suffix(".new").write_text(f"{run} {outcome}", encoding="utf-8")
    told.with_suffix(".new").rename(told)
    may_end.wait(60)  # type: ignore[attr-defined]


def _start(
    folder: Path, name: str, spend: int
) -> tuple[multiprocessing.process.BaseProcess, object, str, str]:
    context = multiprocessing.get_context("fork")
    may_end = context.Event()
    process = context.Process(target=_join, args=(folder, name, spend, may_end))
    process.start()
    told = folder / "told" / name
    deadline = time.monotonic() + 60
    while not told.exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    run, outcome = told.read_text(encoding="utf-8").split()
    return process, may_end, run, outcome


def test_runs_at_the_same_time_share_a_budget_and_the_next_one_begins_anew(tmp_path: Path) -> None:
    first, first_ends, run, outcome = _start(tmp_path, "first", 700)
    second, _, other, refusal = _start(tmp_path, "second", 700)
    assert (outcome, refusal) == ("spent", "refused")
    assert run == other
    first_ends.set()  # type: ignore[attr-defined]
    first.join(60)
    # The second is still under way, so the budget of both goes on; it was killed, and still counted.
    third, _, still, again = _start(tmp_path, "third", 700)
    assert (still, again) == (run, "refused")
    for process in (second, third):
        os.kill(int(process.pid or 0), signal.SIGKILL)
        process.join(60)
    fourth, fourth_ends, fresh, afresh = _start(tmp_path, "fourth", 700)
    assert fresh != run
    assert afresh == "spent"
    fourth_ends.set()  # type: ignore[attr-defined]
    fourth.join(60)


def test_runs_of_other_homes_have_budgets_of_their_own(tmp_path: Path) -> None:
    a, a_ends, run, _ = _start(tmp_path / "a", "run", 700)
    b, b_ends, other, outcome = _start(tmp_path / "b", "run", 700)
    assert (run != other, outcome) == (True, "spent")
    for ends, process in ((a_ends, a), (b_ends, b)):
        ends.set()  # type: ignore[attr-defined]
        process.join(60)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(LlmError, match="Check that the folder is writable"):
        shared_run(tmp_path / "file" / "llm")

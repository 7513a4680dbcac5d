"""What `kg refresh` says, without a service behind it."""

import io

import pytest
from rich.console import Console

from kg_pipeline.cli.refreshing import RefreshResult, losses, show


def said(lost: int, unchecked: int = 0) -> str:
    rows = [{"article_id": f"PMC{n}", "change": "retracted", "reason": "by a notice"} for n in range(lost)]
    rows.append({"article_id": "PMC99", "change": "unchanged", "reason": ""})
    stream = io.StringIO()
    show(
        Console(file=stream, width=80),
        RefreshResult(
            "uv", {"retracted": lost, "unchanged": 1}, {"ok": 1}, tuple(losses(rows)), unchecked, ()
        ),
    )
    return stream.getvalue()


def test_articles_that_lose_their_edges_are_named_with_the_reason():
    assert "PMC0 is retracted: by a notice.\n" in said(1)
    assert "PMC99" not in said(1)
    assert "retracted:" not in said(0)


@pytest.mark.parametrize(("lost", "rest"), [(10, ""), (11, "So is 1 other"), (12, "So are 2 others")])
def test_no_more_than_ten_of_them(lost, rest):
    text = said(lost)
    assert text.count(" is retracted: ") == 10
    assert ("other" in text) == bool(rest)
    assert rest in text


def test_one_is_not_called_many():
    assert "Could not be checked: 1 article, kept as before." in said(0, unchecked=1)
    assert "Could not be checked: 2 articles, kept as before." in said(0, unchecked=2)

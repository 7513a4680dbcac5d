from __future__ import annotations

import urllib.parse

from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.pmc.remote.redaction import Redactor


@given(st.text(min_size=4).filter(lambda text: text.strip("*")), st.text(), st.text())
def test_a_known_secret_never_stays(secret: str, before: str, after: str) -> None:
    redactor = Redactor([secret])
    for spelling in (secret, urllib.parse.quote(secret, safe=""), urllib.parse.quote_plus(secret)):
        assert spelling not in redactor.clean(before + spelling + after) or spelling in f"{before}***{after}"


def test_parameters_that_hold_secrets_are_hidden_even_if_unknown() -> None:
    text = "GET https://host/esearch?db=pmc&api_key=abc123&email=a%40b.org&term=x failed"
    cleaned = Redactor().clean(text)
    assert "abc123" not in cleaned
    assert "b.org" not in cleaned
    assert "db=pmc" in cleaned
    assert "term=x" in cleaned


def test_credentials_of_an_address_are_hidden() -> None:
    assert Redactor().clean("http://user:word@proxy:8080/x") == "http://***@proxy:8080/x"


def test_what_a_terminal_would_obey_does_not_reach_it() -> None:
    cleaned = Redactor(["hidden"]).clean("\x1b[31mred\x07 \x9b2J \u202edlrow\x00 hid\x1bden\nnext\tone α β")
    assert cleaned == " [31mred   2J  dlrow  hid den\nnext\tone α β"

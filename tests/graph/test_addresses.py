from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.graph.addresses import article_address


@pytest.mark.parametrize(
    ("article_id", "address"),
    [
        ("PMC123", "https://pmc.ncbi.nlm.nih.gov/articles/PMC123/"),
        ("PMID:42", "https://pubmed.ncbi.nlm.nih.gov/42/"),
        ("DOI:10.1000/a<b>&c", "https://doi.org/10.1000/a%3Cb%3E%26c"),
        ("NCT01234567", "https://clinicaltrials.gov/study/NCT01234567"),
        ("MED/123", "https://europepmc.org/article/MED/123"),
        ("FILE:/etc/passwd", ""),
        ("SOURCE:infores:hetionet", ""),
        ("PMC123/../../x", ""),
        ("PMC123\n", ""),
        ("PMC99900001", ""),  # a packaged sample article
        ("PMC9990001", "https://pmc.ncbi.nlm.nih.gov/articles/PMC9990001/"),
        ("javascript:alert(1)", ""),
        ("DOI:javascript:alert(1)", ""),
        ("", ""),
    ],
)
def test_only_ids_of_a_known_form_have_an_address(article_id: str, address: str) -> None:
    assert article_address(article_id) == address


@given(st.text() | st.text().map("DOI:10.1234/{}".format) | st.text().map("PMC1{}".format))
def test_an_address_is_plain_https_and_leaves_its_place_in_the_page_to_nobody(article_id: str) -> None:
    address = article_address(article_id)
    assert address == "" or address.startswith("https://")
    assert not set(address) & set("\"'<> \n\\")

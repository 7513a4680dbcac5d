from kg_pipeline.pmc.listing import Listed, list_entries


def article(
    ids: dict[str, str], *, kind: str = "research-article", meta: str = "", body: str = "<p>Text.</p>"
) -> bytes:
    tags = "".join(f'<article-id pub-id-type="{name}">{value}</article-id>' for name, value in ids.items())
    return f"""<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="{kind}"><front><article-meta>{tags}{meta}
    </article-meta></front><body>{body}</body></article>""".encode()


def listed(**files: bytes) -> dict[str, Listed]:
    rows = list_entries((f"{name}.xml", data) for name, data in files.items())
    assert [row.article_id for row in rows] == sorted({row.article_id for row in rows})
    return {row.article_id: row for row in rows}


def test_newest_version_wins_as_a_number():
    rows = listed(
        a=article({"pmcid": "PMC1", "pmcid-ver": "PMC1.2"}),
        b=article({"pmcid": "PMC1", "pmcid-ver": "PMC1.10"}),
        c=article({"pmc": "1"}),
    )
    assert rows["PMC1"].source_ref == "b.xml"
    assert {row.status for row in rows.values() if row.article_id != "PMC1"} == {"superseded"}
    assert sorted(rows) == ["FILE:a.xml", "FILE:c.xml", "PMC1"]


def test_equal_versions_go_to_the_first_file():
    same = article({"pmcid": "PMC1"})
    rows = listed(b=same, a=same)
    assert rows["PMC1"].source_ref == "a.xml"
    assert rows["FILE:b.xml"].reason == (
        "a.xml holds version 1 of PMC1 too; of equal versions the first by name counts"
    )


def test_publisher_copy_joins_the_article_by_its_doi():
    rows = listed(publisher=article({"doi": "10.1234/X"}), pmc=article({"pmcid": "PMC1", "doi": "10.1234/x"}))
    assert rows["PMC1"].source_ref == "pmc.xml"
    assert rows["FILE:publisher.xml"].status == "superseded"


def test_comments_on_an_article_are_not_the_article():
    rows = listed(
        a=article({"doi": "10.5000/j-1"}),
        b=article({"doi": "10.5000/j-1-rc1"}, kind="reviewer-report"),
        c=article({"doi": "10.5000/j-1-ac1"}, kind="author-comment"),
    )
    assert {row.article_id: row.status for row in rows.values()} == {
        "DOI:10.5000/j-1": "ok",
        "DOI:10.5000/j-1-rc1": "notice",
        "DOI:10.5000/j-1-ac1": "notice",
    }


def test_notice_retracts_the_article_it_names_whatever_the_order():
    target = '<related-article related-article-type="retracted-article" ext-link-type="{}" xlink:href="{}"/>'
    notices = {
        "by_doi": article({"doi": "10.1234/n1"}, kind="retraction", meta=target.format("doi", "10.1234/BAD")),
        "by_pmcid": article({"doi": "10.1234/n2"}, kind="retraction", meta=target.format("pmc", "PMC7")),
        "by_pmid": article({"doi": "10.1234/n3"}, kind="retraction", meta=target.format("pubmed", "55")),
    }
    rows = listed(
        a=article({"pmcid": "PMC6", "doi": "10.1234/bad"}),
        z=article({"pmcid": "PMC7"}),
        y=article({"pmcid": "PMC8", "pmid": "55"}),
        good=article({"pmcid": "PMC9", "pmid": "56"}),
        **notices,
    )
    assert {row.article_id: row.status for row in rows.values() if row.article_id.startswith("PMC")} == {
        "PMC6": "retracted",
        "PMC7": "retracted",
        "PMC8": "retracted",
        "PMC9": "ok",
    }
    assert rows["PMC6"].reason == "retracted by DOI:10.1234/n1"
    assert rows["DOI:10.1234/n1"].reason == "retraction notice for 10.1234/BAD"


def test_article_is_missing_only_if_no_file_has_it():
    answer = b'<pmc-articleset><error id="1">not available</error><error id="2">not available</error></pmc-articleset>'
    rows = listed(answer=answer, a=article({"pmcid": "PMC1"}))
    assert {key: row.status for key, row in rows.items()} == {"PMC1": "ok", "PMC2": "not_found"}


def test_articles_of_a_set_have_their_own_references():
    one = article({"pmcid": "PMC1"})
    two = article({"pmcid": "PMC2"}, body="")
    rows = listed(set=b"<pmc-articleset>" + one + two + b"</pmc-articleset>")
    assert {key: (row.source_ref, row.status) for key, row in rows.items()} == {
        "PMC1": ("set.xml#1", "ok"),
        "PMC2": ("set.xml#2", "no_body"),
    }


def test_unreadable_file_is_a_row_with_a_reason():
    row = listed(bad=b"<article>")["FILE:bad.xml"]
    assert row.status == "malformed"
    assert "not well-formed" in row.reason


def test_embargoed_article_is_not_called_empty():
    flag = (
        "<custom-meta-group><custom-meta><meta-name>pmc-status-embargo</meta-name><meta-value>yes</meta-value>"
        "</custom-meta></custom-meta-group>"
    )
    assert listed(a=article({"pmcid": "PMC1"}, meta=flag, body=""))["PMC1"].status == "embargoed"

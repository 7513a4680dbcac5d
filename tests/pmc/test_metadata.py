import pytest

from kg_pipeline.pmc.identifiers import parse_doi, parse_pmcid
from kg_pipeline.pmc.jats.article import Metadata
from kg_pipeline.pmc.jats.licenses import classify_license
from kg_pipeline.pmc.jats.metadata import read_metadata
from kg_pipeline.pmc.jats.xml import parse_xml


def metadata(meta: str, attributes: str = "", journal: str = "") -> Metadata:
    return read_metadata(
        parse_xml(
            f"""<article {attributes} xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:ali="http://www.niso.org/schemas/ali/1.0/">
            <front>{journal}<article-meta>{meta}</article-meta></front><body/></article>""".encode()
        )
    )


@pytest.mark.parametrize(
    ("ids", "pmcid", "version"),
    [
        ('<article-id pub-id-type="pmc">99000040</article-id>', "PMC99000040", 1),
        ('<article-id pub-id-type="pmc">PMC99000040</article-id>', "PMC99000040", 1),
        (
            '<article-id pub-id-type="pmcaid">61000</article-id><article-id pub-id-type="pmcaiid">62000</article-id>'
            '<article-id pub-id-type="pmcid">PMC99000040</article-id>'
            '<article-id pub-id-type="pmcid-ver">PMC99000040.3</article-id>',
            "PMC99000040",
            3,
        ),
        ('<article-id pub-id-type="pmcaid">61000</article-id>', "", 1),
        ('<article-id pub-id-type="pmid">123</article-id>', "", 1),  # a PubMed id is never read as a PMCID
    ],
)
def test_pmcid_in_all_its_spellings(ids, pmcid, version):
    read = metadata(ids)
    assert (read.pmcid, read.version) == (pmcid, version)


@pytest.mark.parametrize("text", ["PMC03531190", "pmc3531190", " PMC3531190 ", "PMC3531190.2", "3531190"])
def test_pmcids_normalise_to_one(text):
    assert parse_pmcid(text)[0] == "PMC3531190"


@pytest.mark.parametrize("text", [None, "", "PMC", "PMC0", "10.1/x", "PMCID 5"])
def test_what_is_no_pmcid(text):
    assert parse_pmcid(text) == ("", None)


def test_doi_loses_its_resolver():
    assert parse_doi("https://doi.org/10.1371/journal.pone.0046041") == "10.1371/journal.pone.0046041"


def test_article_id_prefers_pmcid_then_doi_then_file():
    assert Metadata(pmcid="PMC1", doi="10.1234/A").article_id("a.xml") == "PMC1"
    assert Metadata(doi="10.1234/A").article_id("a.xml") == "DOI:10.1234/a"
    assert Metadata().article_id("a.xml") == "FILE:a.xml"


@pytest.mark.parametrize(
    ("dates", "year"),
    [
        ('<pub-date pub-type="epub"><year>2011</year></pub-date>', 2011),
        ('<pub-date pub-type="pmc-release"><year>2012</year></pub-date>', 2012),
        (
            '<pub-date pub-type="collection"><year>2010</year></pub-date><pub-date pub-type="epub"><year>2011</year></pub-date>',
            2011,
        ),
        ('<pub-date date-type="pub" publication-format="electronic"><year>2020</year></pub-date>', 2020),
        ("<pub-date><year>n.d.</year></pub-date>", None),
        ("", None),
    ],
)
def test_year_of_any_kind_of_date(dates, year):
    assert metadata(dates).year == year


def test_titles_and_language():
    read = metadata(
        "<title-group><article-title>IL-6 in <italic>Mus</italic><xref ref-type='fn' rid='n'>*</xref></article-title>"
        "<subtitle>a study</subtitle></title-group>",
        'article-type="review-article" xml:lang="ES"',
        "<journal-meta><journal-title-group><journal-title>J Exp Med</journal-title></journal-title-group></journal-meta>",
    )
    assert read.title == "IL-6 in Mus: a study"
    assert (read.journal, read.language, read.article_type) == ("J Exp Med", "es", "review-article")


@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ('<license xlink:href="https://creativecommons.org/licenses/by/4.0/"/>', "redistributable"),
        ("<license><ali:license_ref>http://creativecommons.org/publicdomain/zero/1.0/</ali:license_ref></license>", "redistributable"),
        ('<license xlink:href="http://creativecommons.org/licenses/by-nc-nd/4.0/"/>', "non_commercial"),
        ('<license xlink:href="http://creativecommons.org/licenses/by-nd/4.0/"/>', "mining_only"),
        ("<license><license-p>under the Creative Commons Attribution License, which permits use</license-p></license>", "redistributable"),
        ("<license><license-p>the Creative Commons Attribution Non-Commercial License</license-p></license>", "non_commercial"),
        ("<license><p>verbatim copying and redistribution of this article are permitted in all media</p></license>", "redistributable"),
        ("<copyright-statement>All rights reserved.</copyright-statement>", "unknown"),
    ],
)  # fmt: skip
def test_license_class(permissions, expected):
    assert metadata(f"<permissions>{permissions}</permissions>").license_class == expected


def test_license_of_a_figure_is_not_that_of_the_article():
    document = b"""<article xmlns:xlink="http://www.w3.org/1999/xlink"><front><article-meta/></front><body><fig><permissions>
    <license xlink:href="https://creativecommons.org/licenses/by/4.0/"/></permissions></fig></body></article>"""
    assert read_metadata(parse_xml(document)).license_class == "unknown"


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("CC BY", "redistributable"),
        ("CC0", "redistributable"),
        ("CC BY-NC-SA", "non_commercial"),
        ("TDM", "mining_only"),
        ("", "unknown"),
    ],
)
def test_license_codes(address, expected):
    assert classify_license(address) == expected


@pytest.mark.parametrize(
    ("title", "is_retracted"),
    [
        ("RETRACTED: Kinase X drives tumour Y", True),
        ("Retracted article: Kinase X drives tumour Y", True),
        ("[Retracted] Kinase X drives tumour Y", True),
        ("WITHDRAWN: Kinase X", True),
        ("Retraction: Kinase X drives tumour Y", True),
        ("Retraction rates in clinical trials 2000–2020", False),
        ("Retracted papers and who cites them", False),
        ("Withdrawn patients in trials", False),
        ("Retraction of the chest wall in neonates", False),
    ],
)
def test_only_an_anchored_title_prefix_means_retraction(title, is_retracted):
    read = metadata(f"<title-group><article-title>{title}</article-title></title-group>")
    assert bool(read.retraction) is is_retracted


def test_retraction_notice_names_its_article():
    read = metadata(
        '<related-article related-article-type="retracted-article" ext-link-type="doi" xlink:href="10.1234/bad"/>',
        'article-type="retraction"',
    )
    assert read.retraction == "retraction notice for 10.1234/bad"
    assert [notice.doi for notice in read.notices] == ["10.1234/bad"]


def test_article_that_points_to_its_notice_is_retracted():
    read = metadata(
        '<related-article related-article-type="retraction-forward" xlink:href="10.1234/notice"/>'
    )
    assert read.retraction == "retracted by 10.1234/notice"


@pytest.mark.parametrize(
    "kind", ["correction", "expression-of-concern", "reviewer-report", "author-comment", "reply"]
)
def test_texts_about_an_article_are_notices(kind):
    assert metadata("", f'article-type="{kind}"').is_notice
    assert not metadata("", 'article-type="research-article"').is_notice

import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.errors import MalformedError, NotJatsError
from kg_pipeline.pmc.jats.article import Article
from kg_pipeline.pmc.jats.glossary import read_abbreviation_text
from kg_pipeline.pmc.jats.parser import Found, Missing, parse_article, read_articles
from kg_pipeline.schema import UNREAD_SECTIONS


def article(body: str = "", front: str = "", back: str = "", **options: bool) -> Article:
    document = f"""<article article-type="research-article"><front><article-meta>{front}</article-meta></front>
    {f"<body>{body}</body>" if body else ""}<back>{back}</back></article>"""
    return parse_article(document.encode(), **options)


def paragraphs(parsed: Article) -> list[tuple[str, str]]:
    return [(p.kind, parsed.text[p.start : p.end]) for p in parsed.paragraphs]


def has_body(document: bytes) -> bool:
    (found,) = read_articles(document)
    assert isinstance(found, Found)
    return found.front.has_body


def evidence_of(parsed: Article) -> list[str]:
    """Paragraphs of the sections that are read for evidence."""
    kinds = [section.kind for section in parsed.sections]
    return [
        parsed.text[p.start : p.end] for p in parsed.paragraphs if kinds[p.section] not in UNREAD_SECTIONS
    ]


def path_of(parsed: Article, text: str) -> tuple[str, ...]:
    start = parsed.text.index(text)
    return next(s.path for s in parsed.sections if s.start <= start < s.end)


def test_title_path_of_nested_sections():
    parsed = article(
        "<sec><title>Methods</title><sec><label>2.1</label><title>Animals</title>"
        "<sec><title>Diet</title><p>Rats ate chow.</p></sec></sec><p>After.</p></sec>"
    )
    assert path_of(parsed, "Rats ate chow.") == ("Methods", "Animals", "Diet")
    assert path_of(parsed, "After.") == ("Methods",)


def test_title_then_main_abstract_then_body():
    parsed = article(
        "<p>Body.</p>",
        "<title-group><article-title>A title</article-title></title-group>"
        "<abstract abstract-type='graphical'><p>Picture.</p></abstract>"
        "<abstract><sec><title>Aim</title><p>To see.</p></sec></abstract>"
        "<trans-abstract><p>Ver.</p></trans-abstract>",
    )
    assert paragraphs(parsed) == [
        ("title", "A title"),
        ("heading", "Aim"),
        ("paragraph", "To see."),
        ("paragraph", "Body."),
        ("paragraph", "Picture."),
    ]
    assert [section.kind for section in parsed.sections] == ["title", "abstract", "body", "summary"]
    assert path_of(parsed, "To see.") == ("Abstract", "Aim")


def test_all_blocks_of_the_body_are_met_in_order():
    parsed = article(
        "<p>First.</p><sec><title>S</title><p>Before: <list><list-item><p>one</p></list-item>"
        "<list-item><p>two</p></list-item></list> after.</p><disp-quote><p>Quoted.</p></disp-quote>"
        "<def-list><def-item><term>ACE</term><def><p>an enzyme</p></def></def-item></def-list>"
        "<boxed-text><title>Box</title><p>Boxed.</p></boxed-text><statement><p>Stated.</p></statement></sec><p>Last.</p>"
    )
    assert [text for _, text in paragraphs(parsed)] == [
        "First.", "S", "Before:", "one", "two", "after.", "Quoted.", "ACE: an enzyme", "Box", "Boxed.", "Stated.", "Last.",
    ]  # fmt: skip
    assert path_of(parsed, "Boxed.") == ("S", "Box")


@pytest.mark.parametrize(
    "around",
    [
        "<def-list><def-item><term>A</term><def><p>a kind {}</p></def></def-item></def-list>",
        "<supplementary-material><caption><p>A film {}</p></caption></supplementary-material>",
    ],
)
def test_floats_inside_other_blocks_are_not_lost(around):
    figure = "<fig><caption><p>EGFR staining.</p></caption></fig>"
    assert article(around.format(figure)).text.count("EGFR staining.") == 1


def test_table_inside_a_paragraph_is_lifted_out():
    parsed = article(
        "<p>Counts were<table-wrap><table><tbody><tr><td>12</td><td>7</td></tr><tr><td>3</td><td>40</td></tr></tbody>"
        "</table></table-wrap> as shown.</p>"
    )
    assert ("paragraph", "Counts were as shown.") in paragraphs(parsed)
    assert parsed.tables[0].cells == (("12", "7"), ("3", "40"))
    assert "127340" not in parsed.text


def test_marks_of_the_notes_of_a_table_are_no_text():
    parsed = article(
        "<table-wrap><label>Table 1 -</label><table><thead><tr><th>Oil</th><th>Index<sup>a,b</sup> [m<sup>2</sup>]</th></tr>"
        "</thead><tr><td>Thymol<sup>c</sup></td><td>12<sup>*</sup></td></tr></table><table-wrap-foot>"
        "<fn><label>a</label><p>Read twice.</p></fn><p><sup>b</sup>On the second column.</p><fn><p><sup>*</sup> Not sure.</p></fn>"
        "<fn><label>2</label><p>Of none.</p></fn></table-wrap-foot></table-wrap>"
    )
    assert [text for _, text in paragraphs(parsed)] == [
        "Table 1, Thymolc: Index [m^2] 12.",  # nothing says that c is a mark
        "Read twice.",
        "On the second column.",
        "Not sure.",
        "Of none.",
    ]


def test_caption_of_a_figure_without_label():
    parsed = article("<fig><caption><title>Panel A.</title><p>EGFR staining.</p></caption><graphic/></fig>")
    assert paragraphs(parsed) == [("caption", "Panel A. EGFR staining.")]
    assert parsed.sections[0].kind == "caption"


@pytest.mark.parametrize(
    "content",
    [
        "<fig><caption><p>Seen{file}</p></caption></fig>",
        "<table-wrap><caption><title>Doses{file}</title></caption><table><tr><td>1</td></tr></table></table-wrap>",
        "<table-wrap><table><tr><td>1{file}</td></tr></table></table-wrap>",
        "<table-wrap><table-wrap-foot><p>Means{file}</p></table-wrap-foot></table-wrap>",
        "<sec><title>Results{file}</title><p>One.</p></sec>",
    ],
)
def test_files_and_notes_inside_captions_cells_and_titles_are_read(content):
    file = "<supplementary-material><caption><p>Raw data of the mice.</p></caption></supplementary-material>"
    note = "<fn><p>Of twelve mice.</p></fn>"
    parsed = article(content.format(file=file + note))
    assert [text for _, text in paragraphs(parsed) if "mice" in text] == [
        "Raw data of the mice.",
        "Of twelve mice.",
    ]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("<statement><label>Hypothesis 1</label><p>Zinc helps.</p></statement>", "Hypothesis 1"),
        ("<fn><label>Competing interests:</label><p>None.</p></fn>", "Competing interests:"),
        ("<list><list-item><label>Step two</label><p>Stir.</p></list-item></list>", "Step two"),
        ("<sec><label>Data availability</label><p>On request.</p></sec>", "Data availability"),
        (
            "<def-list><title>Symbols</title><def-item><term>a</term><def><p>b</p></def></def-item></def-list>",
            "Symbols",
        ),
        ("<disp-quote><p>We saw.</p><attrib>A reader</attrib></disp-quote>", "A reader"),
        ("<fig><caption><p>Map.</p></caption><attrib>Source: census.</attrib></fig>", "Source: census."),
        ("<table-wrap><attrib>Source: census.</attrib></table-wrap>", "Source: census."),
        ("<supplementary-material>Table S1 lists them.</supplementary-material>", "Table S1 lists them."),
    ],
)
def test_names_of_blocks_without_a_title_are_kept(content, name):
    assert name in [text for _, text in paragraphs(article(content))]


@pytest.mark.parametrize("mark", ["1", "2.1", "*", "(a)", "IV."])
def test_numbers_and_marks_of_blocks_are_no_text(mark):
    body = f"<sec><label>{mark}</label><list><list-item><label>{mark}</label><p>Stir.</p></list-item></list></sec>"
    assert paragraphs(article(body)) == [("list_item", "Stir.")]


def test_notes_in_the_back_are_under_their_title():
    parsed = article(back="<fn-group><title>Ethics</title><fn><p>Approved.</p></fn></fn-group>")
    assert path_of(parsed, "Approved.") == ("Ethics",)
    assert paragraphs(parsed) == [("heading", "Ethics"), ("footnote", "Approved.")]


def test_floats_do_not_cut_the_text_of_their_section():
    parsed = article(
        "<sec><title>R</title><p>One.</p><fig><label>Fig. 1</label><caption><p>Seen.</p></caption></fig><p>Two.</p></sec>"
    )
    assert [section.path for section in parsed.sections] == [("R",), ("R", "Fig. 1")]
    assert [text for _, text in paragraphs(parsed)] == ["R", "One.", "Two.", "Seen."]


def test_table_that_is_an_image_keeps_its_caption():
    parsed = article(
        "<table-wrap><label>Table 1</label><caption><title>Doses</title></caption><graphic/></table-wrap>"
    )
    assert parsed.tables[0].cells == ()
    assert path_of(parsed, "Doses") == ("Table 1: Doses",)


def test_other_texts_in_the_file_stay_out():
    document = b"""<article><front/><body><p>Drug A lowers B.</p><ref-list><ref id="r"><mixed-citation>Old claim.
    </mixed-citation></ref></ref-list></body><back><ref-list><ref id="s"><mixed-citation>Older claim.</mixed-citation></ref>
    </ref-list></back><sub-article article-type="decision-letter"><front-stub><article-id pub-id-type="doi">10.1234/x.sa1
    </article-id></front-stub><body><p>We doubt that.</p></body></sub-article><response><body><p>It raises C.</p></body>
    </response></article>"""
    parsed = parse_article(document)
    assert parsed.text == "Drug A lowers B."
    assert parsed.metadata.doi == ""


@pytest.mark.parametrize(
    ("where", "content"),
    [
        ("body", "<sec sec-type='COI-statement'><title>Interests</title><p>Own words.</p></sec>"),
        ("body", "<sec><title>Acknowledgements</title><sec><title>More</title><p>Own words.</p></sec></sec>"),
        ("back", "<ack><p>Own words.</p></ack>"),
        ("back", "<sec><title>Anything</title><p>Own words.</p></sec>"),
        ("back", "<fn-group><fn><label>1</label><p>Own words.</p></fn></fn-group>"),
        ("back", "<notes><p>Own words.</p></notes>"),
        ("back", "<app-group><app><title>Appendix</title><p>Own words.</p></app></app-group>"),
        (
            "front",
            "<author-notes><fn><p>Own words.</p></fn><corresp>me@lab.example</corresp>"
            "<fn fn-type='corresp'><p>me@lab.example</p></fn></author-notes>",
        ),
        ("front", "<kwd-group><kwd>Own</kwd><kwd>words.</kwd></kwd-group>"),
        ("front", "<abstract abstract-type='teaser'><p>Own words.</p></abstract>"),
    ],
)
def test_text_about_the_paper_is_kept_and_is_no_evidence(where, content):
    parsed = article(**{"body": "<p>Drug A lowers B.</p>"} | {where: content})
    if where == "body":
        parsed = article(f"<p>Drug A lowers B.</p>{content}")
    assert evidence_of(parsed) == ["Drug A lowers B."]
    assert re.search(r"Own;? words\.$", parsed.text)
    assert "lab.example" not in parsed.text


@pytest.mark.parametrize(
    "content",
    [
        "<supplementary-material><label>Figure S1</label><caption><title>Uptake</title><p>It fell in mice.</p>"
        "<p>(4.8 MB PSD).</p><p>(DOCX)</p><p>(TIFF)</p></caption><media><caption><p>Click here for additional data file.</p></caption></media>"
        "</supplementary-material>",
        "<p><media><label>Figure S1</label><caption><title>Uptake</title><p>It fell in mice.</p></caption></media></p>",
    ],
)
def test_captions_of_files_are_evidence_and_notes_on_files_are_not(content):
    parsed = article(
        f"<p>Body.</p><sec sec-type='supplementary-material'><title>Supporting Information</title>{content}</sec>"
    )
    assert evidence_of(parsed) == ["Body.", "Uptake", "It fell in mice."]
    assert path_of(parsed, "It fell") == ("Supporting Information", "Figure S1")
    assert not re.search("Click here|MB", parsed.text)


@pytest.mark.parametrize(
    "back",
    ["<floats-group>{}</floats-group>", "<sec sec-type='display-objects'><title>Figures</title>{}</sec>"],
)
def test_floats_in_the_back_are_read_once(back):
    figure = "<fig><label>Fig. 1</label><caption><p>EGFR staining.</p></caption></fig>"
    parsed = article("<p>Body.</p>", back=back.format(figure))
    assert evidence_of(parsed) == ["Body.", "EGFR staining."]
    assert parsed.text.count("staining") == 1


def test_appendices_are_read_on_request():
    back = "<app-group><app><title>Appendix 1</title><p>More mice.</p></app></app-group>"
    assert evidence_of(article("<p>Body.</p>", back=back)) == ["Body."]
    parsed = article("<p>Body.</p>", back=back, include_appendices=True)
    assert parsed.sections[-1].kind == "appendix"
    assert path_of(parsed, "More mice.") == ("Appendix", "Appendix 1")


@pytest.mark.parametrize(
    "back",
    [
        "<glossary><def-list><def-item><term>ACE</term><def><p>angiotensin converting enzyme</p></def></def-item>"
        "<def-item><term>BP</term><def><p>blood pressure</p></def></def-item></def-list></glossary>",
        "<sec><title>Abbreviations</title><p>ACE: angiotensin converting enzyme; BP: blood pressure.</p></sec>",
        "<fn-group><fn fn-type='abbr'><p>Abbreviations: ACE, angiotensin converting enzyme; BP, blood pressure</p></fn>"
        "</fn-group>",
    ],
)
def test_glossary_becomes_abbreviations_not_evidence(back):
    parsed = article("<p>Body.</p>", back=back)
    assert parsed.glossary == (("ACE", "angiotensin converting enzyme"), ("BP", "blood pressure"))
    assert evidence_of(parsed) == ["Body."]
    assert "blood pressure" in parsed.text


def test_scanned_pages_are_split_and_joined_at_line_ends():
    parsed = article(
        "<preformat preformat-type='pmc-ocr-text'>The inflam-\nmation of\nmice.\n\nPage two.</preformat>"
    )
    assert paragraphs(parsed) == [("preformat", "The inflammation of mice."), ("preformat", "Page two.")]


def test_formulas_are_counted_and_citations_kept_by_paragraph():
    parsed = article(
        "<p>A <inline-formula><tex-math>x</tex-math></inline-formula> <xref ref-type='bibr' rid='B1'>1</xref>.</p><p>B.</p>"
    )
    assert parsed.formulas == 1
    assert [paragraph.citations for paragraph in parsed.paragraphs] == [("B1",), ()]


def test_article_without_body_says_so():
    document = b"""<article><!--The publisher does not allow downloading.--><front><article-meta>
    <article-id pub-id-type="pmcid">PMC99000010</article-id><abstract><p>Zinc lowered IL-8.</p></abstract>
    </article-meta></front></article>"""
    assert not has_body(document)
    assert parse_article(document).text == "Zinc lowered IL-8."
    assert not has_body(b"<article><front/><body><sec><title> </title><p/></sec></body></article>")


def test_default_namespace_changes_nothing():
    plain = b"<article><front/><body><sec><title>A</title><p>X.</p></sec></body></article>"
    named = plain.replace(b"<article>", b'<article xmlns="https://jats.nlm.nih.gov/ns/archiving/1.4/">')
    assert parse_article(named) == parse_article(plain)


@pytest.mark.parametrize(
    "document",
    [
        b"<PubmedArticleSet><PubmedArticle/></PubmedArticleSet>",
        b"<html><body><article><p>Web page.</p></article></body></html>",
        b"<article><title>DocBook</title><para>No front, no body.</para></article>",
        b"<pmc-articleset/>",
    ],
)
def test_other_vocabularies_are_refused(document):
    with pytest.raises(NotJatsError):
        read_articles(document)


@pytest.mark.parametrize(
    "page", [b"<!DOCTYPE html><html><body>Not found<br></body></html>", b"\xef\xbb\xbf<HTML><p>"]
)
def test_a_web_page_is_named_as_one(page):
    with pytest.raises(NotJatsError, match="an HTML page"):
        read_articles(page)


def test_set_gives_each_article_and_each_missing_one():
    document = b"""<pmc-articleset><article><front/><body><p>One.</p></body></article>
    <error id="99999999">The following PMCID is not available: 99999999</error>
    <article><front/><body><p>Two.</p></body><sub-article><front-stub/></sub-article></article>
    <Reply Id="5" error="gone"/></pmc-articleset>"""
    one, missing, two, reply = read_articles(document)
    assert isinstance(one, Found)
    assert isinstance(two, Found)
    assert [parse_article(found.data).text for found in (one, two)] == ["One.", "Two."]
    assert missing == Missing(2, "PMC99999999", "The following PMCID is not available: 99999999")
    assert reply == Missing(4, "PMC5", "gone")


def test_malformed_article_is_an_article_error():
    with pytest.raises(MalformedError):
        parse_article(b"<article><front/><body><p>cut")


words = st.text(alphabet="abcXYZ é–²", max_size=12)
inlines = st.recursive(
    words,
    lambda inner: st.tuples(
        st.sampled_from(["italic", "bold", "sup", "sub", "named-content"]), inner, words
    ).map(lambda parts: f"<{parts[0]}>{parts[1]}</{parts[0]}>{parts[2]}"),
    max_leaves=4,
)
blocks = st.recursive(
    inlines.map(lambda content: f"<p>{content}</p>"),
    lambda inner: st.tuples(
        st.sampled_from(["sec", "list-item", "disp-quote", "boxed-text", "statement", "unknown-block"]),
        st.lists(inner, max_size=3).map("".join),
    ).map(
        lambda parts: (
            f"<list><list-item>{parts[1]}</list-item></list>"
            if parts[0] == "list-item"
            else f"<{parts[0]}>{parts[1]}</{parts[0]}>"
        )
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(blocks, min_size=1, max_size=4).map("".join))
def test_letters_are_neither_lost_nor_doubled_and_spans_are_exact(body):

    parsed = article(body)
    expected = re.sub(r"<[^>]*>|\s", "", body)
    assert re.sub(r"[\s^_]", "", parsed.text) == expected
    assert "\n\n".join(parsed.text[p.start : p.end] for p in parsed.paragraphs) == parsed.text
    for before, after in pairwise(parsed.sections):
        assert before.end < after.start
    for paragraph in parsed.paragraphs:
        section = parsed.sections[paragraph.section]
        assert section.start <= paragraph.start < paragraph.end <= section.end


def test_an_entry_that_defines_several_forms_at_once_is_none():
    listed = (
        "Abbreviations: CRBP1, -2, and -3: cellular retinol-binding protein, type 1 to 3; BP, blood pressure"
    )
    assert read_abbreviation_text(listed) == [("BP", "blood pressure")]

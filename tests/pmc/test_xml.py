import codecs
import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from kg_pipeline.errors import ArticleError, MalformedError, NotJatsError
from kg_pipeline.pmc.jats import xml
from kg_pipeline.pmc.jats.xml import all_text, parse_xml, parse_xml_without


def text_of(data: bytes) -> str:
    return all_text(parse_xml(data))


def test_named_entities_need_no_dtd():
    head = b'<!DOCTYPE article PUBLIC "-//NLM//DTD" "http://example.org/never-fetched.dtd">'
    assert (
        text_of(head + b"<article>&ldquo;a&rdquo;&ensp;&alpha; &lt; b &amp; c</article>")
        == "“a”\u2002α < b & c"
    )


def test_entity_in_attribute_is_replaced_too():
    assert parse_xml(b'<a title="&eacute;t&eacute;"/>').get("title") == "été"


def test_character_data_sections_keep_their_ampersands():
    assert text_of(b"<a><![CDATA[&ldquo; 1 < 2]]> &ldquo;</a>") == "&ldquo; 1 < 2 “"


def test_plain_entity_of_the_internal_subset_is_read():
    assert text_of(b'<!DOCTYPE a [<!ENTITY lab "Lab of ]> Genetics">]><a>&lab;</a>') == "Lab of ]> Genetics"


def test_entity_expansion_attack_is_refused_at_once():
    bomb = b'<!DOCTYPE a [<!ENTITY x0 "ha">' + b"".join(
        b'<!ENTITY x%d "&x%d;&x%d;">' % (n, n - 1, n - 1) for n in range(1, 40)
    )
    with pytest.raises(MalformedError, match="x39"):
        parse_xml(bomb + b"]><a>&x39;</a>")


def test_external_entity_is_never_read(tmp_path):
    secret = tmp_path / "secret"
    secret.write_text("secret")
    document = f'<!DOCTYPE a [<!ENTITY s SYSTEM "{secret.as_uri()}">]><a>&s;</a>'
    with pytest.raises(MalformedError, match="not defined"):
        parse_xml(document.encode())


def test_names_lose_their_namespaces():
    root = parse_xml(
        b'<a xmlns="https://jats.nlm.nih.gov/ns/archiving/1.4/" xmlns:m="urn:m"><b><m:c/></b></a>'
    )
    assert [element.tag for element in root.iter()] == ["a", "b", "c"]


def test_comments_and_instructions_do_not_cut_text():
    assert parse_xml(b"<a>one<!-- x --> two<?y?> three</a>").text == "one two three"


@pytest.mark.parametrize(
    ("encode", "declared"),
    [
        (lambda text: text.encode("latin-1"), "ISO-8859-1"),
        (lambda text: text.encode("utf-16"), "UTF-16"),
        (lambda text: codecs.BOM_UTF8 + text.encode(), "UTF-8"),
    ],
)
def test_declared_encodings_are_decoded(encode, declared):
    assert text_of(encode(f'<?xml version="1.0" encoding="{declared}"?><a>naïve</a>')) == "naïve"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        ("<a>naïve</a>".encode("latin-1"), "not well-formed"),  # bytes that are not UTF-8
        (b'<?xml version="1.0" encoding="utf-99"?><a/>', "encoding"),
        (b"<a><b>", "not well-formed"),
        (b"<a>R&D</a>", "not well-formed"),
        (b"<!DOCTYPE a [", "does not end"),
        (b"<a>" * 300 + b"</a>" * 300, "not well-formed"),  # deeper than the bound
    ],
)
def test_malformed_documents_have_a_reason(data, reason):
    with pytest.raises(MalformedError, match=reason):
        parse_xml(data)


def test_oversized_file_is_refused(monkeypatch):
    monkeypatch.setattr(xml, "MAX_BYTES", 10)
    with pytest.raises(MalformedError, match="bound"):
        parse_xml(b"<a>0123456789</a>")


@pytest.mark.parametrize(
    ("data", "name"), [(b"%PDF-1.7", "PDF"), (b"PK\x03\x04", "zip"), (b'{"a": 1}', "JSON")]
)
def test_other_formats_are_named(data, name):
    with pytest.raises(NotJatsError, match=name):
        parse_xml(data)


@settings(deadline=None)
@given(
    st.binary(max_size=300) | st.text(max_size=100).map(lambda text: f"<a>{text}</a>".encode(errors="ignore"))
)
def test_any_bytes_parse_or_are_refused_as_an_article_error(data):
    with contextlib.suppress(ArticleError):
        assert isinstance(parse_xml(data).tag, str)


def test_content_of_an_element_can_be_left_out():
    root, content = parse_xml_without(b"<!DOCTYPE a><a><b x='>'>1<c/>2</b ><d>3</d></a>", "b")
    assert etree.tostring(root) == b'<a><b x="&gt;"/><d>3</d></a>'
    assert content == b"1<c/>2"


parts = st.sampled_from(
    [
        "<b>",
        "</b>",
        "<b/>",
        "<bc>",
        "</bc>",
        "<!--",
        "-->",
        "<![CDATA[",
        "]]>",
        "<?",
        "?>",
        "<d>",
        "</d>",
        "t",
        " ",
        "p x",
    ]
)


@settings(max_examples=400)
@given(st.lists(parts, max_size=14))
def test_nothing_but_an_element_is_left_out(pieces):
    data = f"<a>{''.join(pieces)}</a>".encode()
    try:
        whole = parse_xml(data)
    except MalformedError:
        return
    cut, content = parse_xml_without(data, "b")
    if not content:
        assert etree.tostring(cut) == etree.tostring(whole)
        return
    emptied = [element for element in whole.iter("b") if len(element) or element.text]
    for element in emptied[-1:]:
        tail = element.tail
        element.clear(keep_tail=True)
        element.tail = tail
    assert etree.tostring(cut, method="c14n") == etree.tostring(whole, method="c14n")


def test_what_is_left_out_may_hold_comments_and_instructions():
    root, content = parse_xml_without(b"<a><b><!-- </b> --><?pmid 1?>x</b>y</a>", "b")
    assert all_text(root) == "xy"
    assert content == b""
    root, content = parse_xml_without(b"<a><b><!-- c --><?pmid 1?>x</b>y</a>", "b")
    assert all_text(root) == "y"
    assert bytes(content).endswith(b"x")

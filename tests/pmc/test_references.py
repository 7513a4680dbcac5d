import pytest

from kg_pipeline.pmc.jats.parser import parse_article
from kg_pipeline.pmc.jats.references import ReferenceIds
from kg_pipeline.pmc.jats.xml import parse_xml, parse_xml_without

LIST = """<ref-list><ref id="r1"><label>1</label></ref><ref  content-type='x' id='r2'/><ref/>
<refs id="no"/><x:ref xmlns:x="u" id="r3"><citation id="c1"/></x:ref></ref-list>"""


@pytest.mark.parametrize("is_cut", [False, True])
def test_ids_are_the_same_whether_or_not_the_list_was_cut(is_cut):
    document = f"<article><back>{LIST}</back></article>".encode()
    ids = (
        ReferenceIds(*parse_xml_without(document, "ref-list"))
        if is_cut
        else ReferenceIds(parse_xml(document))
    )
    assert {name for name in ("r1", "r2", "r3", "no", "c1", "", None) if name in ids} == {"r1", "r2", "r3"}


def test_a_reference_without_type_is_found_in_the_list_of_the_article():
    document = f"""<article><front/><body><p>Zinc helps [<xref rid="r2">2</xref>] see <xref rid="s1">1</xref>.</p></body>
    <back>{LIST}</back></article>"""
    article = parse_article(document.encode())
    assert article.text == "Zinc helps see 1."
    assert article.paragraphs[0].citations == ("r2",)

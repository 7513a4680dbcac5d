import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg_pipeline.pmc.jats.characters import tidy, tidy_all
from kg_pipeline.pmc.jats.inline import Inline, inline_text
from kg_pipeline.pmc.jats.xml import parse_xml


def inline(content: str) -> str:
    return inline_text(parse_xml(f'<p xmlns:m="http://www.w3.org/1998/Math/MathML">{content}</p>'.encode()))


def cite(text: str, rid: str = "B1") -> str:
    return f'<xref ref-type="bibr" rid="{rid}">{text}</xref>'


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("10<sup>6</sup> CFU", "10^6 CFU"),
        ("25 kg/m<sup>2</sup>", "25 kg/m^2"),
        ("5 × 10<sup>−5</sup> M", "5 × 10^−5 M"),
        ("2 s<sup>-1</sup>", "2 s^-1"),
        ("χ <sup>2</sup> = 3", "χ^2 = 3"),
        ("Ca<sup>2+</sup>", "Ca2+"),
        ("CD8<sup>+</sup> cells", "CD8+ cells"),
        ("H<sub>2</sub>O<sub>2</sub>", "H2O2"),
        ("IC<sub>50</sub>", "IC50"),
        ("the <sup>13</sup>C and [<sup>3</sup>H]thymidine", "the 13C and [3H]thymidine"),
        ("p53<sup>-/-</sup> mice", "p53-/- mice"),
        ("37<sup>o</sup>C", "37°C"),
        ("1<sup>st</sup>", "1st"),
        ("p27<sup>Kip1</sup>, gp91<sup>phox</sup>", "p27Kip1, gp91phox"),
        ("Isl1<sup>Cre/+</sup> mice", "Isl1^Cre/+ mice"),  # an allele, not a name of the gene
        ("(<italic>I</italic> <sup>2</sup> = 29%)", "(I^2 = 29%)"),  # the white space is a piece by itself
        ("<bold>Ca</bold> \n <sup>2+</sup> influx", "Ca2+ influx"),
        ("in <italic>mice</italic> <sup>13</sup>C", "in mice 13C"),
        ("CO <sub>2</sub>, Kit <sup>W/Wv</sup> mice", "CO2, KitW/Wv mice"),
        ("with <sup>32</sup>P", "with 32P"),
        ("12.5<sup>a</sup>", "12.5^a"),  # a mark on a number is not a digit of it
        ("x<sub>1</sub>2<sub>3</sub>", "x12_3"),
    ],
)
def test_raised_and_lowered_text(content, expected):
    assert inline(content) == expected


def test_markup_keeps_the_order_of_words():
    content = "The drug <italic>metformin</italic> lowers <bold>HbA1c</bold> in adults."
    assert inline(content) == "The drug metformin lowers HbA1c in adults."


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"rose<sup>{cite('1')},{cite('2')}</sup>. Then", "rose. Then"),
        (f"rose<sup>(</sup>{cite('4')}<sup>-</sup>{cite('5')}<sup>)</sup>. Then", "rose. Then"),
        (f"rose [{cite('1')}–{cite('3')}, {cite('5')}]. Then", "rose. Then"),
        (f"rose ({cite('Smith et al., 2010')}; {cite('Li, 2011')}), but", "rose, but"),
        (f"rose (reviewed in {cite('3')} and {cite('4')}).", "rose."),
        (f"in mice.{cite('1')}The next", "in mice. The next"),
        (f"cells{cite('1')} and", "cells and"),
        (f"AGO4 (a protein; [{cite('12')}]) binds", "AGO4 (a protein) binds"),
        (f"(<xref ref-type='fig' rid='f'>Figure 1</xref>; {cite('Smith 2010')})", "(Figure 1)"),
        (f"(p &lt; 0.05, {cite('3')})", "(p < 0.05)"),
        (f"{cite('Smith et al. (2010)')} showed", "Smith et al. (2010) showed"),
        (f"Smith et al. ({cite('2010')}) showed", "Smith et al. showed"),
        (f"seen by Smith et al. [{cite('1')}]. Then", "seen by Smith et al. Then"),
        (f"grows (reviewed in [{cite('1')}]). Then", "grows. Then"),
        (f"grows (see [{cite('1')}] and references therein), but", "grows, but"),
        (f"grows (see [{cite('1')}] and Figure 2).", "grows (see and Figure 2)."),
        (f"{cite('[12]')}, estimated", "estimated"),
        (f"<sup>{cite('1')},{cite('2')}</sup>; {cite('[12]')}. This work", "This work"),
        (f"as described by {cite('')}. Then", "as described by. Then"),  # a page would print its number
        (f"shown in {cite('')}, {cite('')} and there", "shown in and there"),
        (f"as shown [{cite('')}]. Then", "as shown. Then"),
    ],
)
def test_citations_leave_no_trace(content, expected):
    assert inline(content) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (f"as described in [{cite('12')}]. Then", "as described in [12]. Then"),
        (f"as described in {cite('[12]')}, {cite('[13]')}. Then", "as described in [12], [13]. Then"),
        (f"as described in<sup>{cite('12')}</sup>. Then", "as described in [12]. Then"),
        (f"the algorithm of [{cite('3')}] or {cite('4')} is", "the algorithm of [3] or is"),
        (f"as reported in ({cite('Li, 2011')}).", "as reported in (Li, 2011)."),
        (f"rose in mice [{cite('3')}].", "rose in mice."),
        (f"given to [{cite('3')}] mice", "given to mice"),
    ],
)
def test_a_citation_that_its_sentence_needs_stays(content, expected):
    assert inline(content) == expected


def test_ids_of_citations_are_kept():
    collected = Inline()
    collected.add_content(parse_xml(f"<p>a{cite('1', 'B1 B2')}, b{cite('3', 'B3')}</p>".encode()))
    assert collected.citations == ["B1", "B2", "B3"]


def test_reference_without_type_is_a_citation_if_the_list_has_it():
    paragraph = parse_xml(b'<p>rose [<xref rid="r1">1</xref>] (<xref rid="s1">Section 1</xref>)</p>')
    assert inline_text(paragraph, frozenset({"r1"})) == "rose (Section 1)"


def test_footnote_marks_go_and_figure_references_stay():
    content = '12<xref ref-type="table-fn" rid="n">*</xref> in <xref ref-type="fig" rid="f">Fig. 2</xref>'
    assert inline(content) == "12 in Fig. 2"


def scripts(base, after, before):
    return f"<m:math><m:mmultiscripts>{base}{after}<m:mprescripts/>{before}</m:mmultiscripts></m:math>"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("<m:math><m:mi>HR</m:mi><m:mo>=</m:mo><m:mn>0.6</m:mn></m:math>", "HR=0.6"),
        ("<m:math><m:msup><m:mi>x</m:mi><m:mn>2</m:mn></m:msup></m:math>", "x^2"),
        (
            "<m:math><m:mfrac><m:mi>a</m:mi><m:mrow><m:mi>b</m:mi><m:mo>+</m:mo><m:mn>1</m:mn></m:mrow></m:mfrac></m:math>",
            "a/(b+1)",
        ),
        (
            r"<tex-math>\documentclass[12pt]{minimal}\usepackage{amsmath}\begin{document}$$x=2.5$$\end{document}</tex-math>",
            "x=2.5",
        ),
        (r"<tex-math>\frac{\alpha}{2} \times 10^{6}</tex-math>", "α/2 × 10^6"),
        ("<alternatives><tex-math>y</tex-math><m:math><m:mi>x</m:mi></m:math></alternatives>", "x"),
        ("<inline-graphic/>", "[formula]"),
        ("<m:math><m:mi>a</m:mi></m:math>, <m:math><m:mi>b</m:mi></m:math>", "a , b"),
        (scripts("<m:mi>F</m:mi>", "", "<m:none/><m:mn>18</m:mn>"), "18F"),
        (scripts("<m:mi>C</m:mi>", "", "<m:mn>6</m:mn><m:mn>14</m:mn>"), "^14_6C"),
        (scripts("<m:mn>300</m:mn>", "", "<m:none/><m:mi>b</m:mi>"), "^b300"),
        (scripts("<m:mi>x</m:mi>", "<m:mi>i</m:mi><m:mn>2</m:mn>", "<m:none/>"), "x_i^2"),
        ("<m:math><m:mn>37</m:mn><m:msup><m:mi/><m:mo>∘</m:mo></m:msup><m:mi>C</m:mi></m:math>", "37°C"),
    ],
)
def test_a_formula_is_written_once(formula, expected):
    assert inline(f"was (<inline-formula>{formula}</inline-formula>).") == f"was ({expected})."


def test_every_kind_of_space_becomes_one_plain_space():
    assert tidy(" a\u00a0\u2009b\u202f\n\tc\u3000 ") == "a b c"


def test_invisible_characters_go_and_hyphens_are_plain():
    assert tidy("inter\u00adleu\u200bkin\u20116") == "interleukin-6"


def test_text_is_composed_but_not_folded():
    assert tidy("e\u0301 10⁶ ﬁ") == "é 10⁶ ﬁ"


@given(st.lists(st.text(st.sampled_from("aé\u0301 \n\t\u00a0\u00ad\u2009\u2010–"), max_size=9)))
def test_many_texts_are_tidied_as_each_alone(texts):
    assert tidy_all([*texts, ""]) == [tidy(text) for text in [*texts, ""]]

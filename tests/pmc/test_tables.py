from itertools import takewhile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.pmc.jats.inline import inline_text
from kg_pipeline.pmc.jats.row_sentences import row_sentences
from kg_pipeline.pmc.jats.tables import MAX_COLUMNS, MAX_PLACES, Grid, read_grid
from kg_pipeline.pmc.jats.xml import parse_xml


def grid(content: str) -> Grid:
    return read_grid(parse_xml(f"<table>{content}</table>".encode()), inline_text)


HEADED = """
<thead>
  <tr><th rowspan="2">Gene</th><th colspan="2">Lupus</th></tr>
  <tr><th>Fold change</th><th>P value</th></tr>
</thead>
<tbody>
  <tr><td colspan="3">Cytokines</td></tr>
  <tr><td>IL6</td><td>2.5</td><td>0.01</td></tr>
  <tr><td>TNF</td><td>–</td><td></td></tr>
</tbody>"""


def test_spans_are_expanded():
    table = grid(HEADED)
    assert table.header_rows == 2
    assert table.cells[:3] == (
        ("Gene", "Lupus", "Lupus"),
        ("Gene", "Fold change", "P value"),
        ("Cytokines", "Cytokines", "Cytokines"),
    )


def test_row_is_a_sentence_with_header_path_and_subheading():
    assert list(row_sentences(grid(HEADED), "Table 1")) == [
        "Table 1, Cytokines, IL6: Lupus Fold change 2.5; Lupus P value 0.01.",
        "Table 1, Cytokines: Gene TNF.",
    ]


def test_a_header_that_is_repeated_inside_the_table_is_the_header_of_what_follows():
    table = grid(
        """<thead><tr><th>Axis 1: genes</th><th>Fold</th><th>P</th></tr></thead>
        <tr><td colspan="3">Cytokines</td></tr><tr><td>IL6</td><td>2.5</td><td>0.01</td></tr>
        <tr><td>Axis 2: proteins</td><td>Fold</td><td>P</td></tr><tr><td>4</td><td>1.5</td><td>0.2</td></tr>
        <tr><td>Axis 2: proteins</td><td>Fold</td><td>P</td></tr><tr><td>5</td><td>1.6</td><td>0.3</td></tr>
        <tr><td>Axis 3: none</td><td>Fold</td><td>P</td></tr>"""
    )
    assert list(row_sentences(table, "Table 3")) == [
        "Table 3, Cytokines, IL6: Fold 2.5; P 0.01.",
        "Table 3, Axis 2: proteins: 4; Fold 1.5; P 0.2.",
        "Table 3, Axis 2: proteins: 5; Fold 1.6; P 0.3.",
        "Table 3: Axis 3: none.",
    ]


@pytest.mark.parametrize("absent", ["", "-", "---", "--", "– ", "...", ".", "…"])
def test_signs_of_an_absent_value_say_nothing(absent):
    table = grid(
        f"<thead><tr><th>Drug</th><th>P</th><th>n</th></tr></thead><tr><td>A</td><td>{absent}</td><td>3</td></tr>"
    )
    assert list(row_sentences(table, "")) == ["A: n 3."]


def test_a_row_that_only_looks_like_the_header_is_a_row():
    table = grid(
        "<thead><tr><th>Drug</th><th>Best</th></tr></thead><tr><td>A</td><td>1</td></tr><tr><td>Best</td><td>2</td></tr>"
    )
    assert list(row_sentences(table, "")) == ["A: Best 1.", "Best: Best 2."]


def test_table_without_header_keeps_its_values():
    table = grid("<tbody><tr><td>12</td><td>7</td></tr><tr><td>3</td><td>40</td></tr></tbody>")
    assert table.cells == (("12", "7"), ("3", "40"))
    assert list(row_sentences(table, "")) == ["12; 7.", "3; 40."]


def test_first_row_of_header_cells_is_the_header():
    table = grid("<tr><th>Drug</th><th>Dose</th></tr><tr><td>A</td><td>5 mg</td></tr>")
    assert table.header_rows == 1
    assert list(row_sentences(table, "Table 2")) == ["Table 2, A: Dose 5 mg."]


def test_merged_cell_is_said_once():
    table = grid(
        "<thead><tr><th>a</th><th>b</th><th>c</th></tr></thead><tr><td>x</td><td colspan='2'>same</td></tr>"
    )
    assert list(row_sentences(table, "")) == ["x: b same."]


def body(*rows: str) -> Grid:
    """A table of three columns; cells of a row are parted by a bar, `=` merges a cell with the one before it."""
    head = "<thead><tr><th>Gene</th><th>Tissue</th><th>Level</th></tr></thead>"
    lines = []
    for row in rows:
        cells = [cell.strip() for cell in row.split("|")]
        wide = [1 + len(list(takewhile("=".__eq__, cells[place + 1 :]))) for place in range(len(cells))]
        written = [(cell, span) for cell, span in zip(cells, wide, strict=True) if cell != "="]
        lines.append(
            "<tr>" + "".join(f"<td colspan='{span}'>{cell}</td>" for cell, span in written) + "</tr>"
        )
    return grid(head + "".join(lines))


def test_a_name_stands_for_the_blank_first_cells_below_it():
    table = body("IL6 | liver | 3", " | spleen | 4", " | lung | –", "TNF | liver | 5", " | lung | 6")
    assert list(row_sentences(table, "Table 1")) == [
        "Table 1, IL6: Tissue liver; Level 3.",
        "Table 1, IL6: Tissue spleen; Level 4.",
        "Table 1, IL6: Tissue lung.",
        "Table 1, TNF: Tissue liver; Level 5.",
        "Table 1, TNF: Tissue lung; Level 6.",
    ]


def test_a_name_goes_with_the_subheading_above_it():
    table = body(
        "Mice | = | =", "IL6 | liver | 3", " | lung | 4", "Rats | = | =", "IL6 | liver | 5", " | lung | 6"
    )
    assert list(row_sentences(table, ""))[1::2] == [
        "Mice, IL6: Tissue lung; Level 4.",
        "Rats, IL6: Tissue lung; Level 6.",
    ]


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(["IL6 | liver | 3", "TNF | liver | 4", " | both | 7"], id="one total"),
        pytest.param(["1 | liver | 3", " | lung | 4", "2 | liver | 3", " | lung | 4"], id="numbers"),
        pytest.param(["A | liver | 3", " | lung | =", "B | liver | 3", " | lung | ="], id="merged cells"),
        pytest.param(["A | = | 3", " | lung | 4", "B | = | 3", " | lung | 4"], id="merged names"),
        pytest.param(["A | liver | ", " | | lung", "B | liver | ", " | | lung"], id="lists side by side"),
        pytest.param([" | lung | 1", "A | liver | 3", " | lung | 4", "B | liver | 3", " | lung | 4"], id="centred names"),
        pytest.param(["A | liver | 3", " | | ", " | lung | 4", "B | liver | 3", " | | ", " | lung | 4"], id="parted"),
    ],
)  # fmt: skip
def test_what_a_blank_first_cell_stands_for_is_not_guessed(rows):
    table = body(*rows)
    blank = [number for number, row in enumerate(row for row in rows if row.strip(" |")) if row[0] == " "]
    sentences = list(row_sentences(table, "Table 1"))
    assert all(sentences[number].startswith("Table 1: ") for number in blank)


@settings(deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["", "", "=", "x", "7", "–"]), min_size=3, max_size=3),
        min_size=1,
        max_size=8,
    )
)
def test_every_cell_is_said_with_its_row_whatever_is_blank(rows):
    kept = [["" if not column and cell == "=" else cell for column, cell in enumerate(row)] for row in rows]
    named = [
        [f"{cell}{number}{column}" if cell in {"x", "7"} else cell for column, cell in enumerate(row)]
        for number, row in enumerate(kept)
    ]
    sentences = list(row_sentences(body(*(" | ".join(row) for row in named)), "Table 1"))
    said = " ".join(sentences)
    texts = [cell for row in named for cell in row if cell not in {"", "=", "–"}]
    assert all(text in said for text in texts)
    assert len(sentences) <= len(rows)
    for row in named:
        others = [text for text in row[1:] if text in texts]
        about = [sentence for sentence in sentences if others and others[0] in sentence]
        assert all(text in sentence for sentence in about[:1] for text in others)


def test_a_subheading_that_stands_in_the_first_column_ends_where_that_is_filled_again():
    table = body("Minor | | ", " | acne | 3", " | gain | 1", "Major | glaucoma | 2", " | ulcers | 1")
    assert list(row_sentences(table, "")) == [
        "Minor: Tissue acne; Level 3.",
        "Minor: Tissue gain; Level 1.",
        "Major: Tissue glaucoma; Level 2.",
        "Major: Tissue ulcers; Level 1.",
    ]
    table = body("Sex | | ", "Men | liver | 3", "Women | liver | 4")
    assert list(row_sentences(table, ""))[1] == "Sex, Women: Tissue liver; Level 4."


def test_oasis_table_gives_the_same_grid():
    table = grid(
        """<tgroup cols="3"><colspec colname="c1"/><colspec colname="c2"/><colspec colname="c3"/>
        <thead><row><entry morerows="1">Gene</entry><entry namest="c2" nameend="c3">Lupus</entry></row>
        <row><entry colname="c2">Fold</entry><entry>P</entry></row></thead>
        <tbody><row><entry>IL6</entry><entry>2.5</entry><entry>0.01</entry></row></tbody></tgroup>"""
    )
    assert table.header_rows == 2
    assert table.cells == (("Gene", "Lupus", "Lupus"), ("Gene", "Fold", "P"), ("IL6", "2.5", "0.01"))


@pytest.mark.parametrize("span", ["999999999999", "-3", "0", "x", "99999999"])
def test_hostile_spans_are_bounded(span):
    table = grid(f"<tr><td rowspan='{span}' colspan='{span}'>a</td><td>b</td></tr><tr><td>c</td></tr>")
    assert len(table.cells) == 2
    assert all(len(row) <= MAX_COLUMNS for row in table.cells)


def test_a_few_rows_do_not_make_a_huge_rectangle():
    row = "<tr>" + "<td>x</td>" * MAX_COLUMNS + "</tr>"
    table = grid(row + "<tr><td>y</td></tr>" * 20_000)
    assert len(table.cells[0]) * len(table.cells) <= MAX_PLACES
    assert table.cells[0] == ("x",) * MAX_COLUMNS
    table = grid("<tr><td>y</td></tr>" * 20_000 + row)
    assert len(table.cells[0]) * len(table.cells) <= MAX_PLACES
    assert len(table.cells) == 20_000


def test_a_table_that_is_cut_says_so():
    wide = "<tr>" + "<td>x</td>" * MAX_COLUMNS + "</tr>"
    assert not grid(wide).is_cut
    assert grid(wide.replace("</tr>", "<td>y</td></tr>")).is_cut
    assert grid(wide.replace("<td>", "<td colspan='2'>")).is_cut
    assert grid(wide + "<tr><td>y</td></tr>" * 20_000).is_cut
    assert not grid("<tr><td>a</td></tr>" * 10).is_cut


def test_rows_after_many_empty_ones_do_not_vanish_in_silence():
    assert grid("<tr/>" * (MAX_PLACES + 1) + "<tr><td>y</td></tr>").is_cut


spans = st.integers(min_value=1, max_value=4)
tables = st.lists(st.lists(st.tuples(spans, spans), max_size=4), min_size=1, max_size=5)


@settings(deadline=None)
@given(tables)
def test_grid_is_a_rectangle_that_keeps_every_cell(rows):
    names = iter(range(1000))
    content = "".join(
        "<tr>"
        + "".join(f"<td rowspan='{high}' colspan='{wide}'>n{next(names)}</td>" for high, wide in row)
        + "</tr>"
        for row in rows
    )
    table = grid(content)
    assert len({len(row) for row in table.cells}) <= 1
    assert len(table.cells) == len(rows)
    written = {f"n{number}" for number in range(sum(map(len, rows)))}
    assert {text for row in table.cells for text in row} - {""} == written

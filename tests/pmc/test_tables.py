import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg_pipeline.pmc.jats.inline import inline_text
from kg_pipeline.pmc.jats.tables import MAX_COLUMNS, MAX_PLACES, Grid, read_grid, row_sentences
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

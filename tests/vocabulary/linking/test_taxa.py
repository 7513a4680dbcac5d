from __future__ import annotations

from kg_pipeline.vocabulary.linking.taxa import HUMAN, MOUSE, RAT, taxa_of

TEXT = "Patients had less IL-6. In mice, Il6 rose." + " Nothing is named here." * 12 + " Its level was high."


def test_the_nearest_species_before_a_place_else_the_main_one() -> None:
    taxa = taxa_of(TEXT)
    assert taxa.at(TEXT.index("IL-6")) == HUMAN
    assert taxa.at(TEXT.index("Il6")) == MOUSE
    assert taxa.at(TEXT.index("Its level")) == HUMAN  # both once; the first named one


def test_words_are_whole_and_a_text_may_name_none() -> None:
    assert taxa_of("The ratio of strategies was humane.").taxa == ()
    assert taxa_of("The ratio of strategies was humane.").at(4) is None
    assert taxa_of("Sprague-Dawley rats and Wistar rats").main == RAT
    assert taxa_of("in S. cerevisiae").taxa == ("NCBITaxon:4932",)

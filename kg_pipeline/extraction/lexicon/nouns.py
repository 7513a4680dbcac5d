"""Nouns and modifiers by what they do to the name they hold.

"TNF levels" stand for TNF, a "loss of PTEN" turns its sign, "mutations in X" say nothing of it, an "X receptor" is
something else. Nouns of the lexicon that state a relation are sorted by the sign of what they state.
"""

from __future__ import annotations

from kg_pipeline.extraction.lexicon.predicate_lexicon import EVENT_NOUNS, LOWERING, RISK_NOUNS
from kg_pipeline.extraction.lexicon.word_list import word_set

#: Nouns that stand for the thing they measure or hold.
TRANSPARENT = word_set(
    """level expression concentration activity abundance amount content signaling signalling pathway transcription
    mrna protein gene transcript release synthesis generation formation accumulation overexpression upregulation
    treatment therapy administration supplementation exposure use intake infusion injection ingestion consumption
    dose number frequency development onset progression severity symptom titre titer positivity pathogenesis
    occurrence case episode presence irradiation radiation infection axis cascade increase rise elevation enhancement gain excess family variety range type form
    member ability capacity
    """
)
#: Nouns that turn the sign of what they hold.
TURNING = word_set(
    """loss lack absence deficiency insufficiency haploinsufficiency inhibition blockade depletion deletion knockdown
    knockout silencing ablation disruption abrogation abolition suppression reduction decrease decline drop fall
    downregulation inactivation degradation inhibitor antagonist blocker sirna shrna antisense
    """
) | {noun for noun, predicate in EVENT_NOUNS.items() if predicate in LOWERING}
TRANSPARENT_EVENTS = frozenset(EVENT_NOUNS) - TURNING - {"regulation", "modulation", "prevention"}
#: People who have a disorder: seen through where the verb acts on the disorder they have.
PATIENTS = word_set(
    "patient individual subject people person participant adult child man woman men women children population"
)
RAISED = frozenset({"increased", "higher", "elevated", "greater", "high", "raised", "excess", "increase"})
LOWERED = frozenset(
    {"reduced", "lower", "decreased", "low", "diminished", "lowered", "reduction", "decrease"}
)
#: Adjectives that turn the sign of the noun they stand with: "impaired clearance", "reduced expression of X". Not
#: "attenuated" and "inactivated", which are said of vaccines.
WANTING = word_set(
    """reduced lower decreased low diminished lowered impaired defective deficient insufficient absent suppressed
    inhibited blocked abolished abrogated repressed silenced downregulated blunted dampened disrupted depleted lost
    """
)
#: What a hyphen joins to a name to say that it is missing: "X-deficient mice".
MISSING = word_set(
    "deficient null depleted silenced knockdown knockout lacking deprived free ablated deleted"
)
#: Deeds that turn the sign: "inhibiting X reduces Y".
COUNTERING = word_set(
    """inhibiting blocking suppressing depleting silencing deleting antagonizing antagonising neutralizing neutralising
    repressing reducing decreasing lowering downregulating attenuating abolishing abrogating ablating inactivating
    disrupting knocking
    """
)
#: Deeds that keep the sign: "activating X raises Y".
FURTHERING = word_set("activating stimulating increasing overexpressing inducing enhancing")
#: How much of it there is: what stimulates "the production of X" raises X.
QUANTITIES = word_set(
    """level expression concentration abundance amount transcription release production secretion synthesis generation
    formation accumulation
    """
)
#: What cells do and undergo; of anything but cells these say something else ("survival of patients").
CELL_PROCESSES = word_set(
    "survival proliferation expansion growth maturation recruitment infiltration accumulation number"
)
#: Nouns that change what they hold in a way they do not say.
BLURRING = word_set(
    """mutation variant polymorphism allele genotype haplotype dysregulation dysfunction alteration imbalance amplification
    rearrangement translocation
    """
)
RISKS = RISK_NOUNS | {"incidence", "prevalence", "occurrence"}
#: Nouns of change, whose "in" names what changes: "an increase in X".
CHANGES = word_set("increase rise elevation change reduction decrease decline drop fall")
#: Nouns whose "with" or "to" names what is given or met: "treatment with X", "exposure to X".
GIVEN = frozenset({"treatment", "therapy", "supplementation", "exposure", "infection"})
#: Nouns that make something else of the name before them; with those above, they are never verbs in these texts.
HIDING = word_set(
    """mimetic receptor antibody promoter analog analogue agonist ligand cell mouse mice deficient family killing lysis
    clearance uptake presentation
    """
)

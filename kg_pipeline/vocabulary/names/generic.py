"""Concepts that vocabularies list and that say nothing in a graph, reviewed on the most frequent names of articles.

An entity such as `down-regulation` or `gene expression` joins everything that was ever measured, so paths over it
are no mechanism. `HOLLOW` are single words, in the singular and in lower case; `HOLLOW_PHRASES` are looked-up keys
of several words. Real, if broad, concepts (apoptosis, immune response, cytokines) are not among them.
"""

from __future__ import annotations

from kg_pipeline.vocabulary.names.words import words

#: Direction, amount and course of something else.
_PROCESS_WORDS = words(
    """
    upregulation downregulation degradation repression breakdown acidification infiltration dependence diffusion
    kinetic kinetics absorption adsorption filtration permeability solubility viscosity periodicity segmentation
    communication orientation projection polymerization catalyzes digestion transduction combined inversion
    """
)
#: Verbs, adjectives and nouns of ordinary prose that are headings of behaviour, anatomy or chemistry.
_PROSE = words(
    """
    affect drive respect power language character parent mother back consensus hope trust suggestion intention
    moral virtue achievement attitude habit appendix carrier emergency running solo magenta austin promega san
    delta chi lag char era mol nas por das spatial arrowhead artifact calibration bear bath cluster mixture
    suspension noise sound sterile infectious pituitary neuroendocrine transmembrane transcriptomic epidermal
    generation household couple indicator influential opinion feeling incentive leadership sp spp sps
    island city season housing illumination vacuum altitude syringe glass plastic molar radius clone pulse facies
    """
)
#: Kinds of molecules and parts of genes, without saying which.
_KINDS = words(
    """
    isoform polypeptide allele haplotype exon codon chromosome plasmid transgene oligonucleotide dinucleotide
    nucleotide electron proton cation solvent polymer methyl ethyl hydroxyl ester nutrient transcript
    """
)
#: Methods and materials of the laboratory.
_METHODS = words(
    """
    centrifugation microscopy transfection electrophoresis immunoprecipitation immunoblotting immunohistochemistry
    sonication dissection ligation laser agar agarose tris gel paraffin paraformaldehyde lipofectamine tablet
    polystyrene xenograft placebo maldi ic50
    """
)

HOLLOW = _PROCESS_WORDS | _PROSE | _KINDS | _METHODS
HOLLOW_PHRASES = frozenset(
    line.strip()
    for line in """
    up regulation
    down regulation
    gene expression
    gene regulation
    gene expression regulation
    signal transduction
    signaling pathway
    signalling pathway
    signaling molecule
    cell signaling
    cell signalling
    biological process
    cellular process
    molecular probe
    binding site
    base pair
    amino acid
    amino acid sequence
    nucleic acid
    molecular weight
    particle size
    body size
    enzyme activity
    catalytic activity
    reaction time
    life cycle
    host cell
    cell surface
    cell culture
    cell line
    animal model
    genetic background
    genetic variation
    sequence alignment
    treatment outcome
    therapeutic use
    sign and symptom
    signs and symptoms
    personal communication
    clinical significance
    clinical relevance
    clinical importance
    normal range
    normal value
    reference value
    pilot study
    pilot project
    length of stay
    disease progression
    clinical course
    clinical progression
    human disease
    other disease
    her disease
    the syndrome
    disease susceptibility
    genetic predisposition
    normal saline
    mass spectrometry
    flow cytometry
    western blotting
    polymerase chain reaction
    real time pcr
    electron microscopy
    fluorescence microscopy
    confocal microscopy
    microarray analysis
    light green
    spatial orientation
    a gene
    a factor
    an inhibitor
    sem
    """.splitlines()
    if line.strip()
)

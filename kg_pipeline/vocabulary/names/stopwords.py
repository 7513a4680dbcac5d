"""Words that never stand for an entity by themselves, although vocabularies list them.

`GENERIC` are terms so general that an entity of that name would join everything with everything. `ENGLISH` are
ordinary words that are also symbols or synonyms; a symbol among them needs its capitals (SET, WAS), and none is
matched in lower case. `NOT_SYMBOLS` are short forms that in articles nearly always mean something else (HR is a
hazard ratio); an article that defines one is not affected, because its definition is used instead.
"""

from __future__ import annotations

from kg_pipeline.vocabulary.names.words import words

GENERIC = words(
    """
    ability abnormality absence acid action activation activity addition age agent air amount analysis animal antigen
    assay association attention awareness base behavior binding biology birth blood body case cause cell cellular cells
    change child chemical chemistry class clinic clinical cohort combination comparison complex component compound
    concentration condition conditions control course culture data day death decrease defect deficiency development
    device diagnosis diet difference disease diseases disorder disorders distribution dna dose drug drugs duration
    effect element energy environment enzyme event evidence experiment exposure expression extract factor family female
    finding follow food force form formation fraction frequency function gas gene genes genome genotype goal group
    growth health history hormone hospital human humans hypothesis immunology incidence increase individual infant
    infection inhibition inhibitor injection injury inhibitors interaction intervention ion knowledge label lead level
    life ligand light line lipid list liquid literature localization location loss machine magnitude maintenance
    male man mass material matrix measure mechanism medicine medium member metal metabolism metabolite method methods
    model models molecule molecules monitoring morbidity mortality motion movement mutation name nature need network
    number observation onset organ organism other outcome oxygenation part particle pathology pathway patient patients
    people peptide peptides period person phase phenotype physiology plan plant play population position pressure
    prevalence prevention probe procedure process product production prognosis program progression property protein
    proteins protocol purpose quality question radiation range rate ratio reaction reading receptor receptors region
    regulation relation relationship release repair report research reserve residue resource response rest result
    retention risk rna role safety salt sample score screening section secretion sequence series serum severity sex
    signal signaling site size society solution source space species specimen speed stability stage standard state
    status stimulus strain strategy strength structure study subject subset substance substrate subtype surface
    survival symptom symptoms syndrome synthesis system target technique technology temperature test therapy thinking
    time tissue tissues tool toxin trait transcription transfer translation transport treatment trend trial trials type
    understanding uptake use variant variation vector vehicle view volume water weight woman work world
    adult adults adolescent men women mutations treatments therapies genetics genomics proteomics antibody antibodies
    damage damages therapeutic steroid intracellular extracellular nucleus cytoplasm membrane
    complication complications sign signs manifestation    medical biomarker biomarkers pharmaceutical preparation
    pharmaceutical drugs medication medications transcriptome proteome biopsy neoplasm neoplasms tumor tumors cancer
    cancers gas gases solid reagent reagents buffer pathogenesis etiology aging adhesion attachment feeding sensation
    """
) - {"cancer", "cancers", "tumor", "tumors", "neoplasm", "neoplasms", "aging", "infection", "dna", "rna"}

ENGLISH = words(
    """
    a about above after again all also an and any are as at be because been before being below best between both but by
    can could did do does down during each end fast few for from full get had has have he her here high his how i if in
    into is it its just large last let like long low made make many may me more most much must near new no non nor not
    now of off old on once one only or our out over own par per put rather same set she short should small so some such
    than that the their them then there these they this those three through to too top two under until up very via was
    we well were what when where which while who will with within without would yet you
    act aim aid ally arch bad bag bar bed best big bite bold box bug cap car cart cast chip clip clock coil cool cope
    cube dab dark dead deal deep dim dock dot draw drop dye ear edge face fan far fat fence fit flag flame flap flat
    flint fuse gap gel get glue gold grab grid grip gulp hint hit hook hop host hot ice impact jade jet join key kit
    lamp lap large leg lens light link lock loop lot mad map mark mask mast met mice mild mind mint mix moon mop naked
    nail net nice nick node nose note odd pace pack pad page pair palm pan park part past paste patch path peak peg pen
    pigs pin pink read rose arms pit plan plus pop post prism pro race rack rank rap raw ray red rest ring rip roof root rope rush
    sac sad sand scan seal send settle shape sharp shot side sink slit slot snap snow soft spark spin spot star stop
    sun swap tag tail tank tap tar task tax team tie tip ton tone toy track trap tray tree trim trip try tube tune twin
    type unit urban vast wars wave wax web wide wind wire wish yes zip group figure table however further total mean
    impact increase reduced versus lower higher first second third control normal positive negative
    lead iron copper cat rat dog fly fish bat cow hen fur pip yolk ct
    """
) - {"iron", "copper", "cat", "rat", "dog", "fish", "mice", "pigs", "gold"}

#: Phrases as general as the words above.
GENERIC_PHRASES = frozenset(
    {"after treatment", "blood flow", "transcription factor", "transcription factors", "cell line"}
)

NOT_SYMBOLS = words(
    """
    HR CI OR SD SE RR BP AS IF IN IS IT AT BE BY DO GO HE ME MY NO OF ON SO TO UP US WE AN AM PM CT MRI PCR II III IV
    VI VII VIII IX XI XII CA UK EU DNA RNA mRNA PBS DMSO FBS EDTA SDS HE IHC FACS ELISA NS NA ND KO WT OS PFS ORR DFS
    AE AES SAE ROC AUC PPV NPV OD FC MOI RT MS LC GC HPLC NMR PET ECG EEG ICU ED ER BMI IU IQR ANOVA FDA WHO NIH NCI
    AND THE FOR ALL ANY ARE BUT CAN DID HAS HAD HOW ITS MAY NOT NOW OUR OUT OWN TWO WAS WHO MET SET REST IMPACT LARGE
    CASE CELL TYPE GENE TEST DATA TABLE FIG FIGS SI ID IDS NO NR SC IP IV PO AV TV UV LED GEO
    """
) - {"MET", "ALL", "UV", "DNA", "RNA", "SC", "AND", "CAN", "MS", "ER"}

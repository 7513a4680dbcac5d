"""Words that make of a name another thing: prefixes, opposites, head nouns, salts, species."""

from __future__ import annotations

from kg_pipeline.vocabulary.names.words import words

#: Prefixes that turn a word into another thing; with `hyper` against `hypo` both sides have one.
PREFIXES = tuple(
    sorted(
        words(
            "hyper hypo anti non pre post intra extra inter sub supra trans macro micro mono poly homo hetero endo exo iso de un dis "
            "neo pseudo para peri pro bi tri tetra di oligo multi eu tachy brady a an in ir im"
        )
    )
)
#: Those that also stand before a hyphen as a word of their own (anti-TNF, pre-B).
LONE_PREFIXES = words("anti pre post intra extra inter sub supra pro non hyper hypo co ex")
OPPOSED_WORDS = tuple(
    frozenset(pair.split())
    for pair in (
        "agonist antagonist", "activator inhibitor", "inducer inhibitor", "acute chronic", "left right", "benign malignant",
        "primary secondary", "primary metastatic", "with without", "susceptible resistant", "sensitive resistant", "sensitivity resistance",
        "proximal distal", "anterior posterior", "dorsal ventral", "medial lateral", "superior inferior",
        "internal external", "in ex", "up down", "upregulation downregulation", "gain loss", "positive negative",
        "early late", "high low", "systolic diastolic", "ascending descending", "afferent efferent", "major minor",
        "male female", "maternal paternal", "upper lower", "central peripheral", "active inactive", "dominant recessive",
        "invasive noninvasive", "congenital acquired", "familial sporadic", "juvenile adult", "classical alternative",
        "limited extensive", "systemic cutaneous", "systemic discoid", "innate adaptive", "saturated unsaturated",
        "constitutive inducible", "direct indirect", "typical atypical", "dependent independent", "small large",
        "competitive noncompetitive", "increased decreased", "increase decrease", "light heavy", "light dark",
        "visceral subcutaneous", "soluble insoluble", "open closed", "mild severe", "sense antisense", "heterozygous homozygous",
        "metastasis cancer", "metastasis carcinoma", "metastasis tumor", "metastasis neoplasm",
        "short long", "first second", "type non", "old new", "before after", "presence absence", "excess deficiency",
        "hemorrhagic ischemic", "wet dry", "red white", "white brown", "gram negative positive", "th1 th2",
    )
)  # fmt: skip
#: Prefixes that deny or exceed what the word without them says, and those that oppose each other.
NEGATING_PREFIXES = words("anti dis hyper hypo non")
OPPOSITE_PREFIXES = tuple(
    words(group)
    for group in ("hyper hypo", "extra inter intra", "pre post", "anti pro", "macro micro", "endo exo")
)
#: Words that make of a disease one of its courses, stages or origins.
COURSE_WORDS = words(
    "acute subacute chronic metastatic recurrent refractory relapsed relapsing remitting congenital hereditary familial sporadic "
    "juvenile infantile neonatal fetal childhood pediatric adult maternal paternal mild severe early late advanced idiopathic "
    "secondary latent transient"
)
#: Words for being prone to a disease, which is not having it.
INCLINATION_WORDS = words("susceptibility predisposition proneness")
#: Words that make of a name another thing: insulin receptor is no insulin.
HEADS = words(
    "receptor ligand inhibitor antibody autoantibody antagonist agonist gene mrna deficiency syndrome kinase pathway carrier "
    "signaling promoter mutation variant knockout expression activation inhibition resistance therapy treatment injury "
    "toxicity analog analogue precursor transporter synthase synthetase phosphatase protease ligase dehydrogenase oxidase reductase "
    "hydroxylase peptide antigen assay test level vaccine infection cell line tissue tumor cancer carcinoma disease "
    "disorder nephritis arthritis virus family complex channel domain subunit activator stimulator factor pseudogene "
    "mouse patient fragment metabolite susceptibility prevention risk score flare index homolog "
    "binding protein"
)
#: `gene` and `protein` behind a name of a gene add nothing; the policy is one entity for both.
EMPTY_HEADS = frozenset({"gene", "protein", "mrna"})
SALTS = words(
    "hydrochloride sulfate sulphate phosphate acetate sodium potassium calcium magnesium citrate maleate mesylate tartrate "
    "succinate fumarate bromide chloride nitrate besylate tosylate lactate gluconate dihydrochloride palmitate mofetil "
    "valerate propionate furoate sulfoxide sulfone pegylated liposomal radiolabeled deuterated ester oxide anhydride hemihydrate monohydrate"
)
SPECIES_WORDS = words(
    "human mouse murine rat bovine porcine rabbit zebrafish drosophila yeast chicken canine feline monkey"
)
QUALIFIERS = words("of the a an in for and or to with by from at on")

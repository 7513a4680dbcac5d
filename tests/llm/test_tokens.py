from __future__ import annotations

import gzip

import pytest

from kg_pipeline.errors import ModelError
from kg_pipeline.llm import tokens


def test_words_are_cut_as_bert_cuts_them():
    encoding = tokens.load_tokenizer().encode("Interleukin-6 in naïve T cells.")
    assert encoding.tokens == [
        "[CLS]",
        "inter",
        "##le",
        "##uki",
        "##n",
        "-",
        "6",
        "in",
        "naive",
        "t",
        "cells",
        ".",
        "[SEP]",
    ]
    assert encoding.ids[0] == 101
    assert encoding.offsets[1] == (0, 5)


def test_nothing_is_truncated_or_padded():
    assert tokens.count_tokens("cell " * 1000) == 1000
    assert tokens.count_tokens("") == 0
    assert tokens.load_tokenizer().encode("x" * 101).tokens[1:-1] == ["[UNK]"]


@pytest.mark.parametrize(
    "content", [None, b"no gzip", gzip.compress(b"[PAD]\n[UNK]\n")], ids=["absent", "no gzip", "another"]
)
def test_a_vocabulary_that_is_not_the_pinned_one_is_refused(tmp_path, monkeypatch, content):
    path = tmp_path / "vocabulary.gz"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(tokens, "VOCABULARY_FILE", path)
    tokens.load_tokenizer.cache_clear()
    with pytest.raises(ModelError, match="Reinstall kg-pipeline"):
        tokens.load_tokenizer()
    tokens.load_tokenizer.cache_clear()

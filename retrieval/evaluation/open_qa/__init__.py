"""Answers to the questions of MuSiQue, HotpotQA, 2WikiMultiHopQA and MultiHop-RAG: exact match, F1, and passages found."""

"""One JATS article as text with exact spans: blocks, inline text, tables, formulas, citations, metadata."""

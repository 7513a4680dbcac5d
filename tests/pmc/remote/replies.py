"""Bodies as the services send them, small and made up."""

from __future__ import annotations


def article_xml(
    number: int,
    *,
    version: int = 1,
    body: str = "<p>Zinc lowers IL-8.</p>",
    flags: str = "",
    kind: str = "research-article",
) -> str:
    """A small article; `flags` is the content of its custom-meta-group."""
    return (
        f'<article article-type="{kind}"><front><article-meta>'
        f'<article-id pub-id-type="pmcid">PMC{number}</article-id>'
        f'<article-id pub-id-type="pmcid-ver">PMC{number}.{version}</article-id>'
        f'<article-id pub-id-type="pmcaid">{number + 7}</article-id>'
        f"<title-group><article-title>Article {number}</article-title></title-group>"
        f"<abstract><p>In short.</p></abstract>"
        f"<custom-meta-group>{flags}</custom-meta-group></article-meta></front>"
        f"{f'<body>{body}</body>' if body else ''}</article>"
    )


def flag(name: str, value: str) -> str:
    return f"<custom-meta><meta-name>{name}</meta-name><meta-value>{value}</meta-value></custom-meta>"


def article_set(*parts: str) -> bytes:
    return f"<pmc-articleset>{''.join(parts)}</pmc-articleset>".encode()


def not_available(number: int | str) -> str:
    return f'<error id="{number}">The following PMCID is not available: {number}</error>'


def search_result(count: int, numbers: list[int], extra: str = "") -> bytes:
    ids = "".join(f"<Id>{number}</Id>" for number in numbers)
    return f"<eSearchResult><Count>{count}</Count><IdList>{ids}</IdList>{extra}</eSearchResult>".encode()

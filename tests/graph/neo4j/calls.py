"""What tests of the real Neo4j server share: a tiny corpus, a version of it, and a query."""

from __future__ import annotations

import neo4j

ARTICLES = {"P1": [("A", "inhibits", "B"), ("B", "binds", "C")], "P2": [("A", "inhibits", "B")]}


def ask(settings, query, **parameters):
    with neo4j.GraphDatabase.driver(
        settings.uri, auth=(settings.user, settings.password.get_secret_value())
    ) as driver:
        return [record.data() for record in driver.execute_query(query, parameters).records]


def build(workplace, corpus, articles=ARTICLES):
    return workplace.build(articles, corpus=corpus)

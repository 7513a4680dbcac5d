"""Graph versions in the formats of other tools, and graphs of other tools as versions.

`kg_pipeline.graph.exchange.export` writes, `kg_pipeline.graph.exchange.importing` reads; each format's module says in
its docstring what the format cannot carry.
"""

"""Articles of PubMed Central over HTTP: E-utilities search, and three services that hold the full texts.

`RemoteSource` is what the stages use; the other modules are its parts. Only routes that PMC allows for automated
retrieval are used: the PMC Cloud Service and E-utilities, and Europe PMC's web service.
"""

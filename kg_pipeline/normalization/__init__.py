"""Entity standardisation: guards, the guarded rules, the published rules, and the stage that applies them."""

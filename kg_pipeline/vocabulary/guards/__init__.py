"""Why two names must not become one entity."""

"""Hold the games that come with pbem: a name for each, and the module that plays it."""

ENGINES: dict[str, str] = {"blame": "engines.blame", "archer": "engines.archer", "accuse": "engines.accuse"}

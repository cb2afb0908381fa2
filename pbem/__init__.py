"""Play hidden-information card games by letter."""

__version__ = "0.1.0"

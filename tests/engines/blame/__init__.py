"""Test the engine of Game of Blame."""

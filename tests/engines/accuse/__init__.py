"""Test the engine of Accuse!."""

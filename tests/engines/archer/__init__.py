"""Test the engine of Archer: Once You Go Blackmail..."""

"""Test what the house does: a message in, letters out."""

"""Test the Matrix post."""

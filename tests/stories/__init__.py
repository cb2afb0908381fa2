"""Whole stories, told from the outside."""

"""Test the kit itself: a small sound game passes all of it, and each of its broken relatives is caught."""

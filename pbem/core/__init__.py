"""Hold what needs no clock, no randomness, no I/O and no SQL."""

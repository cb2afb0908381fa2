"""Real mail servers and real mail programs for tests, on this machine only."""

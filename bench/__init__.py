"""Measure what a move costs. Benchmarks are no tests: quote ratios of one run, never bare seconds."""

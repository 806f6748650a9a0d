"""Drives the benchmarks: see README.md next to this package."""

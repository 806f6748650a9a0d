"""Drives the benchmarks: see README.md beside this package."""

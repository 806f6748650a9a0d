"""Measures the conversion of a debug file to an index."""

from .indexes import Indexes
from .inputs import Input
from .jobs import run_rounds
from .places import Places

INFLATED, AS_SHIPPED = "inflated", "as shipped"


def measure(places: Places, source: Input, rounds: int) -> list[dict]:
    """Returns a measurement for each tool and form of the input. Keeps the indexes for later phases."""
    # The inflated form comes last, so that its indexes are the ones that stay.
    forms = [(AS_SHIPPED, source.compressed)] if source.compressed else []
    measurements = []
    for form, path in forms + [(INFLATED, source.path)]:
        indexes = Indexes(places, source)
        jobs = indexes.jobs(path, parallel=True)
        for tool, runs in run_rounds(places, jobs, rounds).items():
            measurement = {
                "phase": "convert", "input": source.name, "form": form, "tool": tool, "runs": runs,
                "input_megabytes": source.megabytes}
            if "failed" not in runs[-1]:
                measurement["index_bytes"] = indexes.path(tool).stat().st_size
            measurements.append(measurement)
    return measurements


def make_indexes(places: Places, source: Input):
    """Makes the indexes once, if conversion is not measured."""
    run_rounds(places, Indexes(places, source).jobs(source.path), 1)

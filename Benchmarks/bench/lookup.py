"""Measures lookups inside one process: warm, first after opening, and cold."""

from .addresses import address_files
from .indexes import OURS, SYMBOLIC, Indexes
from .inputs import Input
from .jobs import Job, drop_from_cache, run_rounds
from .places import Places


def measure(places: Places, source: Input, rounds: int) -> list[dict]:
    """Returns a measurement for each kind of lookup, by our tool and by symbolic."""
    indexes, addresses = Indexes(places, source), address_files(places, source)
    ours = [places.measure]
    theirs = [places.symbolic, places.library]
    jobs = [
        _job(f"{OURS}: {kind}", [*ours, "lookup", indexes.ours, addresses.offsets, kind])
        for kind in ("texts", "numbers")]
    jobs.append(_job(
        f"{SYMBOLIC}: paths", [*theirs, "lookup", indexes.symcache, addresses.offsets]))
    first = [*ours, "first", indexes.ours, addresses.offsets]
    their_first = [*theirs, "first", indexes.symcache, addresses.offsets]
    for state in ("first", "cold"):
        drop = state == "cold"
        jobs += [
            _job(f"{OURS}: {state}", first, drop and indexes.ours),
            _job(f"{SYMBOLIC}: {state}", their_first, drop and indexes.symcache)]
    return [
        {"phase": "lookup", "input": source.name, "tool": tool, "runs": runs,
         "input_megabytes": source.megabytes}
        for tool, runs in run_rounds(places, jobs, rounds).items()]


def _job(tool: str, arguments: list, cold=None) -> Job:
    return Job(tool, arguments, has_figures=True, prepare=drop_from_cache(cold) if cold else None)

"""Measures the parts of the work inside one process of ours."""

import subprocess

from .addresses import address_files
from .indexes import OURS, Indexes
from .inputs import Input
from .jobs import Job, run, run_rounds
from .places import FIXTURES, SYMBOLS, Places

#: The symbols of the app in the large hang.
HANG_SYMBOLS = SYMBOLS / "orchard-1.4.0-arm64-release-dwarf4"


def measure(places: Places, source: Input, rounds: int) -> list[dict]:
    """Returns the cost of reading, inflating, encoding, decoding and demangling for each item."""
    indexes, addresses = Indexes(places, source), address_files(places, source)
    jobs = [Job(
        OURS, [places.measure, "parts", source.path, indexes.ours, addresses.offsets],
        has_figures=True)]
    if source.compressed:
        jobs.append(Job(
            "inflating", [places.measure, "inflate", source.compressed], has_figures=True))
    return [
        {"phase": "parts", "input": source.name, "tool": tool, "runs": runs,
         "input_megabytes": source.megabytes}
        for tool, runs in run_rounds(places, jobs, rounds).items()]


def measure_diagnostics(places: Places, rounds: int) -> list[dict]:
    """Returns the cost of the fixtures' diagnostics and of a large hang, from bytes to text."""
    inside = Job(OURS, [places.measure, "diagnostics", FIXTURES, SYMBOLS], has_figures=True)
    jobs = [inside, *_whole_processes(places)]
    # Fills the cache.
    run(places, jobs[-1])
    return [
        {"phase": "diagnostics", "tool": tool, "runs": runs}
        for tool, runs in run_rounds(places, jobs, rounds).items()]


def _whole_processes(places: Places) -> list[Job]:
    """Returns runs of the command for the large hang, with the index ready."""
    hang = places.written("hang.json")
    with open(hang, "w") as file:
        subprocess.run([places.measure, "hang-tree", SYMBOLS], stdout=file, check=True)
    cache = {"SYMBOLIST_CACHE": str(places.folder / "caches" / "diagnostics")}
    command = [places.symbolist, "symbolicate", hang, "--symbols", HANG_SYMBOLS, "--format"]
    return [
        Job(f"symbolist symbolicate --format {form}", [*command, form], environment=cache)
        for form in ("text", "json")]

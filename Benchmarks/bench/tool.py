"""Measures whole tools: a process that reads addresses and writes frames."""

from .addresses import SOME, address_files
from .indexes import Indexes
from .inputs import Input
from .jobs import Job, empty_folder, run, run_rounds
from .places import Places, llvm_tool

NO_INDEX, READY = "symbolist, no index", "symbolist, index ready"
SYMBOLIZER, ADDR2LINE, GSYM_READY = "llvm-symbolizer", "addr2line", "gsymutil, index ready"

#: Time limit of addr2line in seconds. It takes minutes for some inputs, so it has only one round.
ADDR2LINE_LIMIT = 60


def measure(places: Places, source: Input, rounds: int) -> list[dict]:
    """Returns a measurement for each tool, with one address and with many."""
    measurements = []
    for count in (1, SOME):
        jobs = _jobs(places, source, count)
        for tool, runs in run_rounds(places, jobs, rounds).items():
            measurements.append({
                "phase": "tool", "input": source.name, "addresses": count, "tool": tool,
                "runs": runs, "input_megabytes": source.megabytes})
    return measurements


def _jobs(places: Places, source: Input, count: int) -> list[Job]:
    """Returns the tools. All demangle and follow inlined calls, but gsymutil does not demangle."""
    indexes, addresses = Indexes(places, source), address_files(places, source)
    plain = addresses.lines("addresses", count)
    jobs = _our_jobs(places, source, addresses.lines("pairs", count))
    jobs.append(Job(
        SYMBOLIZER,
        [llvm_tool("llvm-symbolizer"), f"--obj={source.path}", "--output-style=JSON"], stdin=plain))
    jobs.append(Job(
        GSYM_READY, [llvm_tool("llvm-gsymutil"), "--addresses-from-stdin"],
        stdin=addresses.gsym_lines(indexes.gsym, count)))
    if source.image.is_elf:
        jobs.append(Job(
            ADDR2LINE, ["addr2line", "-f", "-i", "-C", "-a", "-e", source.path], stdin=plain,
            limit=ADDR2LINE_LIMIT, rounds=1))
    return jobs


def _our_jobs(places: Places, source: Input, pairs) -> list[Job]:
    """Returns our tool with an empty cache folder in each run, and with one that has the index."""
    command = [places.symbolist, "lookup", "--symbols", source.path]
    empty, ready = places.folder / "caches" / "empty", places.folder / "caches" / source.name
    jobs = [
        Job(NO_INDEX, command, stdin=pairs, environment={"SYMBOLIST_CACHE": str(empty)},
            prepare=empty_folder(empty)),
        Job(READY, command, stdin=pairs, environment={"SYMBOLIST_CACHE": str(ready)})]
    # Fills the folder, where it has no index yet. The first question about a large file builds none.
    empty_folder(ready)()
    for _ in range(2):
        run(places, jobs[1])
    return jobs

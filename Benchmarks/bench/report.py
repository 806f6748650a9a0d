"""Writes the results: Markdown for people, JSON with every run for programs."""

import json
from pathlib import Path

from . import convert, page_tables, part_tables, service_tables, shared_tables, tables
from .results import Results
from .summary import summary, summary_table

READING = """\
CPU is user + system time of the whole process, the median of the rounds. Ratios are ours ÷ the \
peer's; below 1 is faster or smaller. Only figures of one run may be compared.
"""


def write(folder: Path, about: dict, results: Results) -> list[Path]:
    """Writes both forms to a folder, named by the time of the run, and returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = about["date"].replace(":", "").replace(" ", "-")
    paths = [folder / f"{stem}.md", folder / f"{stem}.json"]
    paths[0].write_text(markdown(about, results))
    paths[1].write_text(json.dumps(
        {"about": about, "summary": summary(results), "measurements": results.measurements},
        indent=1) + "\n")
    return paths


def markdown(about: dict, results: Results) -> str:
    """Returns all tables for which the run has results."""
    parts = ["# Benchmarks\n", _about(about), READING]
    if results.inputs:
        parts.append(_section(
            "Targets",
            "Geometric means over inputs of 30 MB and more, inflated. Smaller ones do not count.",
            summary_table(results)))
    if results.of(phase="convert"):
        parts += _conversion(results)
    if results.of(phase="lookup"):
        parts += _lookup(results)
    if results.of(phase="tool"):
        parts.append(_section(
            "Whole tools", "A process that reads addresses and writes frames: CPU seconds. "
            "addr2line has one round of one minute at most.", tables.whole_tools(results)))
    if results.of(phase="parts"):
        parts.append(_section(
            "Parts", "CPU time within one process, one thread.", part_tables.parts(results)))
    if results.of(phase="diagnostics"):
        parts += [
            _section("Diagnostics", "From received bytes to text or JSON, indexes at hand.",
                     part_tables.diagnostics(results)),
            part_tables.diagnostic_processes(results)]
    if results.of(phase="stream"):
        parts.append(_section(
            "Logs", "Standard input to standard output, with `--format same`. Peak RSS is to be "
            "the same for both sizes.", part_tables.streams(results)))
    if results.of(phase="service"):
        parts += _service(results)
    if results.of(phase="paced"):
        parts.append(_section(
            "Half of the full rate", service_tables.HALF, service_tables.half_rate(results)))
    if results.of(phase="late"):
        parts.append(_section(
            "Late symbols", service_tables.LATE, service_tables.late_symbols(results)))
    if results.of(phase="shared"):
        parts += [
            _section("Several nodes", shared_tables.READING, shared_tables.loads(results)),
            _section("Several nodes: targets", shared_tables.TARGETS,
                     shared_tables.targets(results))]
    if results.of(phase="pages"):
        parts.append(_section("Pages", page_tables.READING, page_tables.pages(results)))
    return "\n".join(parts)


def _service(results: Results) -> list[str]:
    return [
        _section("Service", service_tables.READING, service_tables.rates(results)),
        service_tables.target(results),
        _section("Service: acknowledgement and memory", service_tables.MEMORY,
                 service_tables.details(results))]


def _conversion(results: Results) -> list[str]:
    parts = [_section(
        "Conversion of inflated files", "One thread, unless two are mentioned. The spread is that of "
        "our CPU seconds over the rounds. Wall time depends on what else runs.",
        tables.conversion_times(results, convert.INFLATED)),
        tables.conversion_sizes(results, convert.INFLATED)]
    if results.of(form=convert.AS_SHIPPED):
        parts += [_section(
            "Conversion of files as shipped", "Their sections are compressed with zlib; MB is the "
            "size of the inflated file.", tables.conversion_times(results, convert.AS_SHIPPED)),
            tables.conversion_sizes(results, convert.AS_SHIPPED)]
    return parts


def _lookup(results: Results) -> list[str]:
    return [
        _section("Lookup in process", "Warm, 1,000,000 random addresses: CPU ns for each. symbolic's "
                 "C interface corresponds to names and paths copied. Found: share of addresses; "
                 "frames: for each address.", tables.warm_lookups(results)),
        _section("First lookup", "Elapsed µs in a fresh process, to map the index, open it and "
                 "do one lookup. Cold: the index was dropped from the page cache.",
                 tables.first_lookups(results))]


def _section(title: str, text: str, table: str) -> str:
    return f"## {title}\n\n{text}\n\n{table}"


def _about(about: dict) -> str:
    return "".join(f"- {key}: {value}\n" for key, value in about.items() if value)

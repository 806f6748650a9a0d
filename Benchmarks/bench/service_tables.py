"""The tables of the service, compared with a server that only reads and discards."""

import statistics

from .late import BUILDS, DIAGNOSTICS
from .markdown import number, significant, table, verdict
from .results import Results
from .service import CONNECTIONS, OURS, PEER, SCENARIOS, SECONDS

#: The minimum share of the peer's rate for 20 KB crashes.
TARGET = 0.12

READING = f"""\
{CONNECTIONS} connections over loopback, {SECONDS} s of load in each round, everything on one \
machine: wrk, the service, and the backend that it exports to. The rate is what was acknowledged \
and exported, over the time until the last of it has arrived. CPU is µs for each diagnostic, or for \
each record if there are none, and for each request of the peer; of all includes wrk and the backend. Shares are ours ÷ the peer's in \
the same round, by rate, and the peer's CPU of all ÷ ours."""

MEMORY = """\
p50 and p99 are those of the acknowledgement, in ms, as measured by wrk. Allocations are those \
for each diagnostic or record, counted in another run. Memory is MiB of the \
service without mapped files, for each round: the median of its last samples. fsync is a write of \
4 KiB to the same disk, in ms; load is the machine's before each run."""

HALF = """\
20 KB crashes at half of the rate that the service reached, sent to either server over 16 connections. \
p50 and p99 are in ms, from the moment at which a request was due. CPU is µs for each."""

#: What the acknowledgement of the service may take longer than the peer's at p99, in ms.
ADDED_P99 = 10

LATE = f"""\
{BUILDS * DIAGNOSTICS:,} diagnostics wait for the symbols of {BUILDS} builds, which arrive at once. \
The first revision is exported some seconds after the upload was answered, and the rate is that of \
revisions exported from then on; CPU is µs for each. p99 is that of acknowledgements in ms, \
of a crash sent every 20 ms before the symbols arrive, and while diagnostics are sent again."""


def late_symbols(results: Results) -> str:
    medians = results.one(phase="late")["medians"]
    return table(
        ["revisions/s", "CPU µs", "first after s", "p99 before", "p99 during", "RSS"],
        [[number(medians["rate"], 0), number(medians["cpu"], 0), significant(medians["delay"]),
          significant(medians["p99_before"]), significant(medians["p99_during"]),
          number(medians["rss"], 0)]])


def half_rate(results: Results) -> str:
    rows = []
    for tool in (PEER, OURS):
        medians = results.one(phase="paced", tool=tool)["medians"]
        rows.append([
            tool, number(medians["rate"], 0), significant(medians["p50"]),
            significant(medians["p99"]), number(medians["cpu"], 0)])
    added = results.value("p99", phase="paced", tool=OURS) - results.value("p99", phase="paced", tool=PEER)
    target = table(
        ["Target", "p99 more than the peer's", "target", "met"],
        [["half of the full rate", f"{significant(added)} ms", f"≤ {ADDED_P99} ms", verdict(added <= ADDED_P99)]])
    return table(["server", "requests/s", "p50", "p99", "CPU µs"], rows) + "\n" + target


def rates(results: Results) -> str:
    rows = []
    for scenario in SCENARIOS:
        for tool in (PEER, OURS):
            for measurement in results.of(
                    phase="service", scenario=scenario.name, tool=tool):
                rows.append(_rate_row(results, scenario.name, measurement))
    return table(
        ["Load", "server", "requests/s", "diagnostics or records/s", "CPU µs", "CPU of all µs",
         "share by rate", "share by CPU"], rows)


def _rate_row(results: Results, scenario: str, measurement: dict) -> list[str]:
    medians = measurement["medians"]
    is_ours = measurement["tool"] == OURS
    shares = _shares(results, scenario) if is_ours else (None, None)
    return [
        scenario, measurement["tool"], number(medians["rate"], 0),
        number(medians.get("unit_rate"), 0), number(medians["cpu"], 0),
        number(medians["cpu_of_all"], 0), *(significant(share) for share in shares)]


def _shares(results: Results, scenario: str) -> tuple[float, float]:
    """Returns the shares by rate and by CPU time, as medians over the rounds."""
    ours, theirs = (
        results.one(phase="service", scenario=scenario, tool=tool)["runs"]
        for tool in (OURS, PEER))
    return (
        statistics.median(a["rate"] / b["rate"] for a, b in zip(ours, theirs)),
        statistics.median(
            b["cpu_of_all"] / (a["cpu_of_all"] * a["units"] / a["acknowledged"])
            for a, b in zip(ours, theirs)))


def target(results: Results) -> str:
    """Returns the target of the first scenario."""
    share, _ = _shares(results, SCENARIOS[0].name)
    return table(
        ["Target", "share by rate", "target", "met"],
        [[SCENARIOS[0].name, number(share), f"≥ {number(TARGET)}", verdict(share >= TARGET)]])


def details(results: Results) -> str:
    rows = []
    for measurement in results.of(phase="service", tool=OURS):
        medians, runs = measurement["medians"], measurement["runs"]
        rows.append([
            measurement["scenario"], *(significant(medians[key]) for key in ("p50", "p99")),
            number(results.value(
                "allocations", phase="allocations", scenario=measurement["scenario"]), 0),
            " ".join(number(run["anonymous"], 0) for run in runs), number(medians["rss"], 0),
            number(medians["symbolicated"] * 100, 0), significant(medians["fsync"]),
            " ".join(number(run["load"], 0) for run in runs)])
    return table(
        ["Load", "p50", "p99", "allocations", "memory", "peak RSS", "frames symbolicated %", "fsync", "load"],
        rows)

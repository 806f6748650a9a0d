"""The tables of nodes that share a database and a bucket."""

from .markdown import number, significant, table, verdict
from .results import Results
from .shared import COLD, CONNECTIONS, EMBEDDED, LEASE_SECONDS, NODES, QUOTA, SECONDS, nodes

READING = f"""\
20 KB crashes through one service with its own database, and through nodes with a PostgreSQL and \
an S3-compatible server, everything on one machine: {CONNECTIONS} connections of wrk, {SECONDS} s \
of load in each round. CPU is µs for each diagnostic, of all nodes and of the database; the log is \
the bytes of PostgreSQL's write-ahead log for each, and the archive those of the objects in the \
bucket. The rate depends on the processors that the nodes, the database, wrk and the backend \
share, so compare the CPU. p50 and p99 are those of the acknowledgement in ms, under this load."""

TARGETS = f"""\
The acknowledgement is that of single requests without other load. The takeover lasts from the \
signal to one of three nodes, under load, until nothing waits in its lane; the lease is \
{LEASE_SECONDS} s. The cold node has an empty cache, and gets crashes of all images as soon as it is \
ready, as does another node; it is at its full rate once the diagnostics per second are those of \
the end of the load, and the share of their symbolicated frames is that of the other node. Rates with equal quotas are those of nodes with {QUOTA} processors each."""


def loads(results: Results) -> str:
    rows = []
    for tool in [EMBEDDED, *map(nodes, NODES)]:
        measurement = results.one(phase="shared", part="load", tool=tool)
        if measurement:
            medians = measurement["medians"]
            rows.append([
                tool, number(medians["rate"], 0), number(medians["cpu"], 0),
                number(medians.get("database_cpu"), 0), number(medians.get("log_bytes"), 0),
                number(medians.get("archive_bytes"), 0), significant(medians["p50"]), significant(medians["p99"]),
                number(medians["rss"], 0)])
    return table(
        ["Load", "diagnostics/s", "CPU µs", "database CPU µs", "log bytes",
         "archive bytes", "p50", "p99", "peak RSS"], rows)


def targets(results: Results) -> str:
    def value(part: str, tool: str, field: str) -> float | None:
        return results.value(field, phase="shared", part=part, tool=tool)

    def ratio(part: str, field: str, ours: str, theirs: str) -> float | None:
        return results.ratio(field, {"phase": "shared", "part": part}, ours, theirs)

    one, three = nodes(1), nodes(3)
    lines = [
        ("node CPU, 1 node ÷ one service", ratio("load", "cpu", one, EMBEDDED), 1.15),
        ("node CPU, 3 nodes ÷ 1", ratio("load", "cpu", three, one), 1.05),
        ("database CPU, 1 node, µs", value("load", one, "database_cpu"), 100),
        ("database log, 1 node, bytes", value("load", one, "log_bytes"), 6_500),
        ("acknowledgement, idle, p50, ms", value("idle", one, "p50"), 15),
        ("acknowledgement, idle, p99, ms", value("idle", one, "p99"), 60),
        ("takeover after SIGKILL, s", value("takeover", "SIGKILL", "seconds"), 25),
        ("takeover after SIGTERM, s", value("takeover", "SIGTERM", "seconds"), 6),
    ]
    megabytes = value("cold", COLD, "megabytes")
    if megabytes is not None:
        lines.append((
            f"cold node to its full rate, {megabytes:,.0f} MB of indexes, s",
            value("cold", COLD, "seconds"), 20))
    rows = [
        [name, significant(measured), f"≤ {limit}",
         verdict(None if measured is None else measured <= limit)]
        for name, measured, limit in lines]
    rate = ratio("quota", "rate", three, one)
    rows.append([
        "rate with equal quotas, 3 nodes ÷ 1", significant(rate), "≥ 2.7",
        verdict(None if rate is None else rate >= 2.7)])
    return table(["Target", "measured", "target", "met"], rows)

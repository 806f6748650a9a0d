"""The table of the web pages, with their budgets."""

from .archive import APPS, DIAGNOSTICS, GROUPS, VERSIONS
from .markdown import NONE, number, significant, table, verdict
from .pages import REQUESTS
from .results import Results

#: The time to the first paint over loopback, in milliseconds.
PAINT_BUDGET = 500

READING = f"""\
{DIAGNOSTICS:,} stored diagnostics, {GROUPS:,} groups, {APPS} apps with {VERSIONS} versions each. \
CPU is ms of the service for each request, over {REQUESTS} requests in each round; p50 and p99 are \
the whole time of a request over loopback, in ms, and first that of the first request after a \
start. For dropped reports, first and p99 are the slowest one, with its page. KB is the page itself, compressed. Paint is the \
time to the first paint in Chromium with an empty cache, in ms, measured once. Budgets: {PAINT_BUDGET} \
ms for the paint, 2 s for the first request, 1 s for a dropped report, the others are in the table."""


def pages(results: Results) -> str:
    rows = []
    for measurement in results.of(phase="pages"):
        medians, paint = measurement["medians"], measurement["paint"]
        cpu_budget = measurement["cpu_budget"]
        is_met = (
            (cpu_budget is None or medians["cpu"] <= cpu_budget)
            and measurement["first"] <= measurement["first_budget"]
            and medians["size"] <= measurement["size_budget"]
            and (paint is None or paint <= PAINT_BUDGET))
        rows.append([
            measurement["page"], significant(measurement["first"]), significant(medians["cpu"]),
            f"≤ {cpu_budget}" if cpu_budget else NONE,
            significant(medians["p50"]), significant(medians["p99"]), number(medians["size"], 1),
            f"≤ {measurement['size_budget']}", number(paint, 0), verdict(is_met)])
    return table(
        ["Page", "first", "CPU", "budget", "p50", "p99", "KB", "budget", "paint", "met"], rows)

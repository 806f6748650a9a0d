"""The tables of conversion, lookup and whole tools, with a line for each input."""

from . import convert, indexes, tool
from .addresses import SOME
from .markdown import NONE, number, significant, table, verdict
from .results import Results
from .targets import CONVERSION, conversion, lookup, whole_tool

OURS, SYMBOLIC, GSYMUTIL = indexes.OURS, indexes.SYMBOLIC, indexes.GSYMUTIL


def conversion_times(results: Results, form: str) -> str:
    """Returns CPU seconds of a whole process, and wall time with two threads."""
    rows = []
    for name in _inputs(results, phase="convert", form=form):
        where = {"phase": "convert", "input": name, "form": form}
        ratio = conversion(SYMBOLIC, form=form)(results, name)
        target = CONVERSION[form].get(name)
        parallel = results.ratio("wall", where, indexes.OURS_PARALLEL, OURS)
        rows.append([
            name, number(results.megabytes(name), 0),
            *[significant(results.value("cpu", **where, tool=t))
              for t in (OURS, SYMBOLIC, GSYMUTIL)],
            _spread(results.one(**where, tool=OURS)),
            number(ratio), f"≤ {target:.2f}" if target else NONE,
            verdict(ratio <= target if ratio and target else None),
            number(conversion(GSYMUTIL, form=form)(results, name)),
            significant(results.value("cpu", **where, tool=indexes.OURS_PARALLEL)),
            significant(results.value("wall", **where, tool=OURS)), number(parallel)])
    return table(
        ["Input", "MB", "symbolist CPU s", "symbolic", "gsymutil", "spread", "÷ symbolic", "target",
         "met", "÷ gsymutil", "2 threads CPU s", "symbolist wall s", "2 threads ÷ 1"], rows)


def conversion_sizes(results: Results, form: str) -> str:
    """Returns peak RSS in MiB and index sizes in MB."""
    rows = []
    for name in _inputs(results, phase="convert", form=form):
        where = {"phase": "convert", "input": name, "form": form}
        tools = (OURS, SYMBOLIC, GSYMUTIL)
        sizes = [results.value("index_bytes", **where, tool=t) for t in tools]
        rows.append([
            name, *[number(results.value("rss", **where, tool=t), 0) for t in tools],
            number(conversion(SYMBOLIC, "rss", form)(results, name)),
            number(results.value("rss", **where, tool=indexes.OURS_PARALLEL), 0),
            *[number(size and size / 1e6) for size in sizes],
            number(conversion(SYMBOLIC, "index_bytes", form)(results, name))])
    return table(
        ["Input", "symbolist RSS MiB", "symbolic", "gsymutil", "÷ symbolic", "2 threads",
         "symbolist index MB", "SymCache", "GSYM", "÷ SymCache"], rows)


def warm_lookups(results: Results) -> str:
    """Returns ns of CPU time for each address."""
    rows = []
    for name in _inputs(results, phase="lookup"):
        where = {"phase": "lookup", "input": name}
        tools = [f"{OURS}: {kind}" for kind in ("texts", "numbers")]
        tools.append(f"{SYMBOLIC}: paths")
        rows.append([
            name, *[number(results.value("ns", **where, tool=t), 0) for t in tools],
            number(lookup("texts")(results, name)), number(lookup("numbers")(results, name)),
            *[number(results.value(field, **where, tool=t), 3)
              for field in ("found", "frames") for t in (tools[0], tools[2])]])
    return table(
        ["Input", "names, files ns", "numbers", "symbolic", "names, files ÷ symbolic",
         "numbers ÷ symbolic", "found", "symbolic", "frames", "symbolic"], rows)


def first_lookups(results: Results) -> str:
    """Returns elapsed µs from opening an index to the first result."""
    rows = []
    for name in _inputs(results, phase="lookup"):
        cells = [name]
        for state in ("first", "cold"):
            for tool_ in (f"{OURS}: {state}", f"{SYMBOLIC}: {state}"):
                where = {"phase": "lookup", "input": name, "tool": tool_}
                parts = [results.value(f, **where) for f in ("open_ns", "first_ns")]
                cells.append(NONE if None in parts else significant(sum(parts) / 1000))
        rows.append(cells)
    return table(
        ["Input", "first µs", "symbolic", "cold µs", "symbolic"], rows)


def whole_tools(results: Results) -> str:
    """Returns CPU seconds of processes."""
    rows = []
    for name in _inputs(results, phase="tool"):
        for count in (1, SOME):
            where = {"phase": "tool", "input": name, "addresses": count}
            cpu = {
                t: significant(results.value("cpu", **where, tool=t))
                for t in (tool.NO_INDEX, tool.SYMBOLIZER, tool.READY, tool.GSYM_READY)}
            rows.append([
                name, f"{count:,}", cpu[tool.NO_INDEX], cpu[tool.SYMBOLIZER],
                number(whole_tool(tool.NO_INDEX, tool.SYMBOLIZER, count)(results, name)),
                _addr2line(results, where), cpu[tool.READY], cpu[tool.GSYM_READY],
                number(whole_tool(tool.READY, tool.GSYM_READY, count)(results, name))])
    return table(
        ["Input", "addresses", "no index, CPU s", "llvm-symbolizer", "ratio", "addr2line",
         "index ready, CPU s", "gsymutil", "ratio"], rows)


def _addr2line(results: Results, where: dict) -> str:
    """Returns the CPU seconds of addr2line, or its time limit if it exceeded it."""
    runs = [m["runs"][-1] for m in results.of(**where, tool=tool.ADDR2LINE)]
    if not runs:
        return NONE
    if "not done" in runs[0].get("failed", ""):
        return f"> {tool.ADDR2LINE_LIMIT}"
    return "failed" if "failed" in runs[0] else significant(runs[0]["cpu"])


def _inputs(results: Results, **wanted) -> list[str]:
    return list(dict.fromkeys(m["input"] for m in results.of(**wanted)))


def _spread(measurement: dict | None) -> str:
    """Returns the range of the runs' CPU times, relative to their median."""
    if measurement is None:
        return NONE
    times = [run["cpu"] for run in measurement["runs"]]
    return f"{(max(times) - min(times)) / measurement['medians']['cpu']:.0%}"

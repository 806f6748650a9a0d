"""The tables of parts and of diagnostics, which have no peer."""

import statistics

from .markdown import NONE, number, significant, table
from .results import Results, each_figure

STEPS = ("read", "resolve", "symbolicate", "text", "json")


def parts(results: Results) -> str:
    """Returns the ns for each item, with a line for each part and a column for each input."""
    cells: dict[tuple, dict[str, float]] = {}
    inputs = []
    for measurement in results.of(phase="parts"):
        name = measurement["input"]
        inputs += [name] if name not in inputs else []
        for figure in each_figure(measurement, "part", "item"):
            cells.setdefault((figure["part"], figure["item"]), {})[name] = figure["ns"]
    rows = [
        [part, item, *[significant(values.get(name)) for name in inputs]]
        for (part, item), values in cells.items()]
    return table(["Part", "ns per", *inputs], rows)


def diagnostics(results: Results) -> str:
    """Returns the µs of each step: the median and the largest of all fixtures, and the large hang."""
    figures = [
        figure for measurement in results.of(phase="diagnostics")
        for figure in each_figure(measurement, "diagnostic")]
    if not figures:
        return ""
    *fixtures, hang = figures
    rows = [_row(f"median of {len(fixtures)} fixtures", {
        field: statistics.median(f[field] for f in fixtures)
        for field in fixtures[0] if field != "diagnostic"})]
    largest = sorted(fixtures, key=lambda f: f["frames"], reverse=True)[:3]
    rows += [_row(f["diagnostic"], f) for f in [*largest, hang]]
    return table(
        ["Diagnostic", "KB", "frames", *(f"{step} µs" for step in STEPS), "to text µs",
         "to JSON µs", "to JSON, ns per frame"], rows)


def _row(name: str, figure: dict) -> list[str]:
    common = sum(figure[step] for step in ("read", "resolve", "symbolicate"))
    to_json = common + figure["json"]
    return [
        name, number(figure["bytes"] / 1000, 0), number(figure["frames"], 0),
        *[significant(figure[step] / 1000) for step in STEPS],
        significant((common + figure["text"]) / 1000), significant(to_json / 1000),
        number(to_json / figure["frames"], 0) if figure["frames"] else NONE]


def diagnostic_processes(results: Results) -> str:
    """Returns CPU and wall time of the command for the large hang, with the index ready."""
    rows = [
        [m["tool"], *[significant(m["medians"].get(f)) for f in ("cpu", "wall")],
         number(m["medians"].get("rss"), 0)]
        for m in results.of(phase="diagnostics") if m["tool"].startswith("symbolist symbolicate")]
    return table(["Process", "CPU s", "wall s", "RSS MiB"], rows)


def streams(results: Results) -> str:
    """How fast logs pass, and in how much memory."""
    rows = []
    for m in results.of(phase="stream"):
        wall = m["medians"].get("wall")
        rows.append([
            m["tool"], number(m["bytes"] / 1e6 / wall if wall else None, 0),
            significant(m["medians"].get("cpu")), number(m["medians"].get("rss"), 0)])
    return table(["Log", "MB/s", "CPU s", "RSS MiB"], rows)

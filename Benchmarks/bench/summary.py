"""The summary of targets: geometric means over the inputs that count, and the worst of them."""

import math

from .markdown import NONE, number, table, verdict
from .results import Results
from .targets import GOALS


def summary(results: Results) -> list[dict]:
    """Returns the result of each target; `mean` is `None` if no input that counts was measured."""
    lines = []
    for goal in GOALS:
        ratios = goal.ratios(results)
        line = {
            "goal": goal.name, "mean_target": goal.mean, "worst_target": goal.worst,
            "ratios": ratios, "mean": None, "worst": None, "met": None}
        if ratios:
            line["mean"] = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
            line["worst"] = max(ratios, key=ratios.get)
            line["met"] = goal.is_met(line["mean"], ratios[line["worst"]])
        lines.append(line)
    return lines


def summary_table(results: Results) -> str:
    rows = []
    for line in summary(results):
        worst = line["worst"]
        rows.append([
            line["goal"], number(line["mean"]), f"≤ {number(line['mean_target'])}",
            f"{number(line['ratios'][worst])} ({worst})" if worst else NONE,
            f"≤ {number(line['worst_target'])}" if line["worst_target"] else NONE,
            str(len(line["ratios"])), verdict(line["met"])])
    return table(
        ["Ratio", "mean", "target", "worst input", "target", "inputs", "met"], rows)

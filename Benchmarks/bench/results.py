"""The measurements of a run, with medians."""

import statistics


class Results:
    """The measurements of one run. Figures of different runs are never combined."""

    def __init__(self, measurements: list[dict]):
        self.measurements = measurements
        for measurement in measurements:
            measurement["medians"] = _medians(measurement["runs"])

    @property
    def inputs(self) -> list[str]:
        """The names of the inputs, in the order of their measurement."""
        return list(dict.fromkeys(m["input"] for m in self.measurements if "input" in m))

    def megabytes(self, name: str) -> float:
        return next(m["input_megabytes"] for m in self.measurements if m.get("input") == name)

    def of(self, **wanted) -> list[dict]:
        """The measurements whose keys have these values."""
        return [
            m for m in self.measurements
            if all(m.get(key) == value for key, value in wanted.items())]

    def one(self, **wanted) -> dict | None:
        """Returns the only measurement of that kind, or nothing if it failed or is missing."""
        found = [m for m in self.of(**wanted) if "failed" not in m["runs"][-1]]
        return found[0] if found else None

    def value(self, field: str, **wanted) -> float | None:
        """Returns a median, or a value that is equal in every run, such as the size of an index."""
        measurement = self.one(**wanted)
        if measurement is None:
            return None
        return measurement["medians"].get(field, measurement.get(field))

    def ratio(self, field: str, where: dict, ours: str, theirs: str) -> float | None:
        """Returns ours ÷ theirs, or nothing if one of them is missing."""
        ours = self.value(field, **where, tool=ours)
        theirs = self.value(field, **where, tool=theirs)
        return ours / theirs if ours is not None and theirs else None


def _medians(runs: list[dict]) -> dict:
    """Returns the median of every number in the runs, except the peak RSS, which is the maximum."""
    done = [run for run in runs if "failed" not in run]
    if not done:
        return {}
    fields = {field for run in done for field in run if field != "figures"}
    medians = {field: statistics.median(run[field] for run in done) for field in fields}
    medians["rss"] = max(run["rss"] for run in done)
    if "figures" in done[0] and len(done[0]["figures"]) == 1:
        medians |= _figures([run["figures"][0] for run in done])
    return medians


def _figures(figures: list[dict]) -> dict:
    return {
        field: statistics.median(figure[field] for figure in figures)
        for field, value in figures[0].items() if isinstance(value, (int, float))}


def each_figure(measurement: dict, *keys: str) -> list[dict]:
    """Returns each figure of runs that print several, with the medians of its numbers.

    `keys` are the fields that distinguish the figures.
    """
    groups: dict[tuple, list[dict]] = {}
    for run in measurement["runs"]:
        for figure in run.get("figures", []):
            groups.setdefault(tuple(figure[key] for key in keys), []).append(figure)
    return [
        dict(zip(keys, group)) | _figures(figures) for group, figures in groups.items()]

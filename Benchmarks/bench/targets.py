"""The targets that the figures are compared with."""

from collections.abc import Callable
from dataclasses import dataclass

from . import convert, indexes, tool
from .addresses import SOME
from .results import Results

#: CPU time of a conversion ÷ symbolic's, for each input.
CONVERSION = {
    convert.INFLATED: {
        "libc": 0.50, "python": 0.35, "dsymc": 0.25, "bfd": 0.40, "rustsym": 0.25,
        "dsymall": 0.22, "ceph": 0.28, "vmlinux": 0.35, "libjvm": 0.30},
    convert.AS_SHIPPED: {"libc": 0.55, "ceph": 0.40, "libjvm": 0.40},
}


@dataclass(frozen=True)
class Goal:
    """A ratio of ours to a peer's, with its limits."""

    name: str
    #: The limit of the geometric mean over the inputs that count.
    mean: float
    #: The limit for each of them.
    worst: float | None
    ratio: Callable[[Results, str], float | None]
    #: Smaller inputs do not count, because process start-up dominates there.
    least_megabytes: float = 30

    def ratios(self, results: Results) -> dict[str, float]:
        """Returns the ratio of each input that counts and was measured."""
        found = {
            name: self.ratio(results, name) for name in results.inputs
            if results.megabytes(name) >= self.least_megabytes}
        return {name: ratio for name, ratio in found.items() if ratio is not None}

    def is_met(self, mean: float, worst: float) -> bool:
        return mean <= self.mean and (self.worst is None or worst <= self.worst)


def conversion(peer: str, field: str = "cpu", form: str = convert.INFLATED):
    """Returns the ratio of a conversion with one thread to that of a peer."""
    def ratio(results: Results, name: str) -> float | None:
        return results.ratio(
            field, {"phase": "convert", "input": name, "form": form}, indexes.OURS, peer)
    return ratio


def _parallel_wall(results: Results, name: str) -> float | None:
    where = {"phase": "convert", "input": name, "form": convert.INFLATED}
    return results.ratio("wall", where, indexes.OURS_PARALLEL, indexes.OURS)


def lookup(kind: str):
    """Returns the ratio of a warm lookup in process to symbolic's."""
    def ratio(results: Results, name: str) -> float | None:
        return results.ratio(
            "ns", {"phase": "lookup", "input": name}, f"{indexes.OURS}: {kind}",
            f"{indexes.SYMBOLIC}: paths")
    return ratio


def whole_tool(ours: str, peer: str, addresses: int = SOME):
    """Returns the ratio of the CPU time of a process that looks addresses up."""
    def ratio(results: Results, name: str) -> float | None:
        return results.ratio(
            "cpu", {"phase": "tool", "input": name, "addresses": addresses}, ours, peer)
    return ratio


GOALS = [
    Goal("conversion, CPU ÷ symbolic", 0.24, 0.35, conversion(indexes.SYMBOLIC)),
    Goal("conversion, CPU ÷ gsymutil", 0.28, 0.35, conversion(indexes.GSYMUTIL)),
    Goal("conversion as shipped, CPU ÷ symbolic", 0.35, 0.45,
         conversion(indexes.SYMBOLIC, form=convert.AS_SHIPPED)),
    Goal("conversion, wall, 2 threads ÷ 1, over 100 MB", 0.70, None, _parallel_wall,
         least_megabytes=100),
    Goal("conversion, peak RSS ÷ symbolic", 0.60, 0.80, conversion(indexes.SYMBOLIC, "rss")),
    Goal("index bytes ÷ SymCache", 0.40, 0.50, conversion(indexes.SYMBOLIC, "index_bytes")),
    Goal("lookup with names and files ÷ symbolic", 0.30, 0.40, lookup("texts")),
    Goal("whole tool, 10,000 addresses, no index, CPU ÷ llvm-symbolizer", 0.60, None,
         whole_tool(tool.NO_INDEX, tool.SYMBOLIZER)),
    Goal("whole tool, 10,000 addresses, index ready, CPU ÷ gsymutil", 1.00, None,
         whole_tool(tool.READY, tool.GSYM_READY)),
]

"""Measures the tool and its peers in the same rounds. Started by `Benchmarks/run`."""

import argparse
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from . import (
    cold, convert, late, lookup, machine, pages, parts, report, service, shared, stream, tool)
from .build import build, fetch_inputs
from .images import ImageError
from .inputs import NAMES, Input, default_names, find_input
from .places import PROJECT, RESULTS, Places
from .results import Results
from .servers import ServerError

PHASES = ["convert", "lookup", "tool", "parts", "stream", "service", "late", "shared", "pages"]
#: Those that measure no debug file.
WITHOUT_INPUTS = {"stream", "service", "late", "shared", "pages"}


def main():
    options = _options()
    folder = options.folder.resolve()
    names = _input_names(options, folder)
    if names:
        fetch_inputs(folder, names)
    places = build(folder, options.only)
    inputs = _readable([source for name in names if (source := find_input(places, name))])
    about = machine.description(places, options.rounds)
    measurements, paths = [], []
    for more in _measure(places, inputs, options):
        measurements += more
        # Rewritten after each phase, so that an interrupted run keeps its results.
        paths = report.write(options.results, about, Results(measurements))
    print(report.markdown(about, Results(measurements)))
    for path in paths:
        print(f"written: {path}", file=sys.stderr)


def _input_names(options: argparse.Namespace, folder: Path) -> list[str]:
    """Returns the debug files to measure; logs and requests are generated."""
    if set(options.only) <= WITHOUT_INPUTS:
        return []
    return options.inputs or default_names(folder / "in")


def _readable(inputs: list[Input]) -> list[Input]:
    """Returns the inputs after checking their headers, to fail now rather than after half an hour."""
    try:
        for source in inputs:
            source.image
    except ImageError as problem:
        sys.exit(f"benchmarks: {problem}")
    return inputs


def _measure(
        places: Places, inputs: list[Input], options: argparse.Namespace
) -> Iterator[list[dict]]:
    """Yields the measurements of each phase and input."""
    phases, rounds = options.only, options.rounds
    for source in inputs:
        # Later phases read the indexes of the conversion.
        if "convert" in phases:
            _say(f"{source.name}: convert")
            yield convert.measure(places, source, rounds)
        else:
            convert.make_indexes(places, source)
        for phase, module in (("lookup", lookup), ("tool", tool), ("parts", parts)):
            if phase in phases:
                _say(f"{source.name}: {phase}")
                yield module.measure(places, source, rounds)
    if "parts" in phases:
        _say("diagnostics")
        yield parts.measure_diagnostics(places, rounds)
    if "stream" in phases:
        _say("stream")
        yield stream.measure(places, rounds)
    measure_nodes = partial(shared.measure, hot_megabytes=options.hot_megabytes)
    for phase, measure in (
            ("service", service.measure), ("late", late.measure), ("shared", measure_nodes),
            ("pages", pages.measure)):
        if phase in phases:
            _say(phase)
            try:
                yield measure(places, rounds)
            except ServerError as problem:
                sys.exit(f"benchmarks: {problem}")


def _say(text: str):
    print(f"{time.strftime('%H:%M:%S')} {text}", file=sys.stderr)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="Benchmarks/run", description="Measures symbolist and its peers in the same rounds.")
    parser.add_argument(
        "folder", nargs="?", type=Path, default=PROJECT / ".build-benchmarks" / "work",
        metavar="DIR", help="folder of the inputs (DIR/in) and of output; default: %(default)s")
    parser.add_argument(
        "--inputs", type=_listed(NAMES + ["all"]), metavar="NAME,…",
        help=f"of {', '.join(NAMES)}; all; default: all but those on request, see fetch-inputs")
    parser.add_argument("--rounds", type=int, default=5, help="default: %(default)s")
    parser.add_argument(
        "--only", type=_listed(PHASES), default=PHASES, metavar="PHASE,…",
        help=f"of {', '.join(PHASES)}; default: all")
    parser.add_argument(
        "--hot-megabytes", type=int, default=cold.MEGABYTES, metavar="N",
        help="size of the indexes that a node without any needs at once, of 'shared'; "
        "default: %(default)s")
    parser.add_argument(
        "--results", type=Path, default=RESULTS, metavar="DIR",
        help="folder for the results; default: %(default)s")
    options = parser.parse_args()
    if options.rounds < 1:
        parser.error("--rounds has to be 1 or more")
    if options.inputs and "all" in options.inputs:
        options.inputs = NAMES
    return options


def _listed(words: list[str]):
    """Returns a parser of comma-separated words, which sorts them in the order of `words`."""
    def read(text: str) -> list[str]:
        given = text.split(",")
        for word in given:
            if word not in words:
                raise argparse.ArgumentTypeError(f"'{word}' is not one of {', '.join(words)}")
        return [word for word in words if word in given]
    return read


if __name__ == "__main__":
    main()

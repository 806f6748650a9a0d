"""Builds the measured and the measuring programs."""

import shlex
import subprocess
import sys
from pathlib import Path

from .places import BENCHMARKS, PROJECT, Places

#: The phases that measure servers alone.
SERVER_PHASES = {"service", "late", "shared", "pages"}


def build(folder: Path, phases: list[str]) -> Places:
    """Builds the executables for the phases in release mode, and returns the paths."""
    if "shared" in phases:
        _run(PROJECT / "Scripts" / "install", "--demo-cluster")
        _run(PROJECT / "Scripts" / "install-peers")
    only_servers = set(phases) <= SERVER_PHASES
    places = Places(
        folder, _swift_product("symbolist", "--static-swift-stdlib"),
        _measure("Measure", is_needed=not only_servers),
        _measure("Discard", is_needed=not {"service", "late", "shared"}.isdisjoint(phases)))
    if "service" in phases:
        _compile("allocations.c", places.allocations, "-shared", "-fPIC")
    if only_servers:
        return places
    _compile("timed.c", places.timed)
    _compile("symbolic.c", places.symbolic, "-ldl")
    return places


def _compile(source: str, target: Path, *options: str):
    target.parent.mkdir(parents=True, exist_ok=True)
    path = BENCHMARKS / "Drivers" / source
    _run("cc", "-O2", "-Wall", "-Wextra", "-o", target, path, *options)


def fetch_inputs(folder: Path, names: list[str]):
    """Fetches the missing inputs, and symbolic's library."""
    _run(BENCHMARKS / "fetch-inputs", folder, *dict.fromkeys(["rustsym", *names]))


def _measure(name: str, is_needed: bool) -> Path:
    """Builds a program of the nested package."""
    # SwiftPM does not notice files added to the product unless the package has changed.
    (BENCHMARKS / "Package.swift").touch()
    return _swift_product(
        name, "--package-path", BENCHMARKS, "--scratch-path", PROJECT / ".build-benchmarks",
        is_needed=is_needed)


def _swift_product(name: str, *options, is_needed: bool = True) -> Path:
    command = ["swift", "build", "--configuration", "release", "--product", name, *options]
    if is_needed:
        print(f"building {name} (a few minutes the first time)")
        _run(*command)
    folder = subprocess.run(
        [str(word) for word in [*command, "--show-bin-path"]], cwd=PROJECT, check=True,
        capture_output=True, text=True).stdout.strip()
    return Path(folder) / name


def _run(*command):
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=PROJECT, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        sys.exit(f"benchmarks: '{shlex.join(words)}' failed: see its output above")

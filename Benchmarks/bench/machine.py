"""Describes the machine and the versions of a run."""

import os
import platform
import subprocess
import time

from .places import PROJECT, Places, llvm_tool


def description(places: Places, rounds: int) -> dict:
    """Returns the description written with the results, which mean little without it."""
    changed = _first_line("git", "-C", PROJECT, "status", "--porcelain", "--untracked-files=no")
    return {
        "date": time.strftime("%Y-%m-%d %H:%M:%S"),
        "commit": _first_line("git", "-C", PROJECT, "rev-parse", "--short", "HEAD")
        + (" and changes" if changed else ""),
        "rounds": rounds,
        "processor": _processor(),
        "cores": os.cpu_count(),
        "load": f"{os.getloadavg()[0]:.1f} at the start",
        "system": platform.platform(),
        "swift": _first_line("swift", "--version"),
        "llvm": _line_with("version", llvm_tool("llvm-symbolizer"), "--version"),
        "binutils": _first_line("addr2line", "--version"),
        "symbolic": _wheel_version(places),
    }


def _output(*command) -> list[str]:
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False)
    except OSError:
        return []
    return done.stdout.strip().splitlines()


def _first_line(*command) -> str:
    lines = _output(*command)
    return lines[0].strip() if lines else ""


def _line_with(word: str, *command) -> str:
    return next((line.strip() for line in _output(*command) if word in line), "")


def _processor() -> str:
    with open("/proc/cpuinfo") as file:
        return next(
            (line.split(":")[1].strip() for line in file if line.startswith("model name")), "")


def _wheel_version(places: Places) -> str:
    """Returns the version in the name of the wheel, which stays in the folder of the run."""
    wheels = [wheel.name.split("-")[1] for wheel in places.folder.glob("*/symbolic-*.whl")]
    return wheels[0] if wheels else "unknown: its wheel is not in the folder of this run"

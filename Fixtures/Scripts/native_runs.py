"""Real crashes of the Linux programs."""

import subprocess
from bisect import bisect_right
from pathlib import Path

from emulator.images import Frame
from linux_builds import LinuxBuild
from settings import FIXTURES

WALKER = FIXTURES / "Scripts/stack-of-crash.gdb.py"


def build_id(program: Path) -> str:
    command = ["readelf", "--notes", program]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return next(line.split()[-1] for line in output.splitlines() if "Build ID" in line)


def functions(program: Path) -> list[tuple[int, str]]:
    command = ["nm", "--defined-only", program]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    entries = [line.split() for line in output.splitlines()]
    return sorted((int(entry[0], 16), entry[2]) for entry in entries if entry[1] in "tT")


def crash(build: LinuxBuild, arguments: int) -> list[Frame]:
    """The stack of a crash, innermost first."""
    subprocess.run(["objcopy", "--strip-debug", build.linked, build.crashing], check=True)
    command = ["gdb", "-q", "-batch", "-x", WALKER, "--args", build.crashing, *["x"] * arguments]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    identifier, symbols = build_id(build.linked), functions(build.linked)
    frames: list[Frame] = []
    for line in output.splitlines():
        if not line.startswith("frame "):
            continue
        _, address, load, file = line.split()
        offset = int(address) - int(load)
        in_app = file == str(build.crashing)
        inside = offset - 1 if frames else offset
        symbol = symbols[bisect_right(symbols, (inside, "\x7f")) - 1][1] if in_app else None
        name, uuid = (build.program, identifier) if in_app else (Path(file).name, "")
        frames.append(Frame(name, uuid, int(load), int(address), in_app, symbol))
    return frames

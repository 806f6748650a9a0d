"""Real crashes of the Linux programs."""

from bisect import bisect_right
from pathlib import Path

from emulator.images import Frame
from linux_builds import LinuxBuild
from settings import FIXTURES
from tools import output_of

WALKER = FIXTURES / "Scripts/stack-of-crash.gdb.py"


def build_id(program: Path) -> str:
    notes = output_of("readelf", "--notes", program)
    return next(line.split()[-1] for line in notes.splitlines() if "Build ID" in line)


def functions(program: Path) -> list[tuple[int, str]]:
    entries = [line.split() for line in output_of("nm", "--defined-only", program).splitlines()]
    return sorted((int(entry[0], 16), entry[2]) for entry in entries if entry[1] in "tT")


def crash(build: LinuxBuild, arguments: int) -> list[Frame]:
    """The stack of a crash, innermost first."""
    output_of("objcopy", "--strip-debug", build.linked, build.crashing)
    words = ["x"] * arguments
    output = output_of("gdb", "-q", "-batch", "-x", WALKER, "--args", build.crashing, *words)
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

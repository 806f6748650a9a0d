"""Reads Scenarios/*.txt: the start of a run, and its expected frames.

A scenario is a few lines `word value`, then the frames, innermost first, as five columns:

    image   marker   in debug builds   in release builds   function

How a frame is there in a build is one of

    call     it has a frame of its own
    inline   it was inlined into the next frame that is there
    gone     it has no frame, because of a tail call or because this build does not make it
    lost     like call, but the instruction has lost its line; a `lost` line gives the reason
    symbol   like call, but only the symbol table knows the function
    or       what the frame before this row may be called as well, if the two cannot be told apart

The marker `-` stands for code that is not ours: the compiler made it, or it comes from a standard
library; of such a frame only the function is expected. `times N` repeats the frame before it. `then
NAME` continues with the frames of another file. A sampled scenario has several stacks, each begun by `stack NAME`; frames
in front of the first one belong to none, frames after `always` to all. `builds` and `except` say
in which builds a scenario is run.
"""

from dataclasses import dataclass, field
from pathlib import Path

from settings import SCENARIOS

PRESENCES = ("call", "inline", "gone", "lost", "symbol", "or")


@dataclass(frozen=True)
class Row:
    image: str
    marker: str | None
    presence: dict[str, str]
    function: str


@dataclass
class Scenario:
    name: str
    title: str = ""
    start: tuple[str, ...] = ()
    builds: tuple[str, ...] = ()
    excepted: tuple[str, ...] = ()
    lost_because: str = ""
    every: int = 0
    stacks: dict[str, list[Row]] = field(default_factory=dict)

    def fits(self, build: str) -> bool:
        return build not in self.excepted and (not self.builds or build in self.builds)

    @property
    def is_sampled(self) -> bool:
        return self.every > 0


def row(line: str) -> Row:
    image, marker, debug, release, function = line.split(maxsplit=4)
    if debug not in PRESENCES or release not in PRESENCES:
        raise ValueError(f"'{line}': a frame is one of {', '.join(PRESENCES)}")
    presence = {"debug": debug, "release": release}
    return Row(image, None if marker == "-" else marker, presence, function)


def lines_of(path: Path) -> list[str]:
    lines: list[str] = []
    for line in path.read_text().splitlines():
        if line.startswith("then "):
            lines += lines_of(SCENARIOS / f"{line.removeprefix('then ').strip()}.rows")
        elif line and not line.startswith("#"):
            lines.append(line)
    return lines


def read_scenario(path: Path) -> Scenario:
    scenario = Scenario(path.stem)
    stack, always = "", False
    for line in lines_of(path):
        word, _, value = line.partition(" ")
        value = value.strip()
        match word:
            case "title":
                scenario.title = value
            case "start":
                scenario.start = tuple(value.split())
            case "builds":
                scenario.builds = tuple(value.split())
            case "except":
                scenario.excepted = tuple(value.split())
            case "lost":
                scenario.lost_because = value
            case "every":
                scenario.every = int(value)
            case "stack":
                stack = value
            case "always":
                always = True
            case "times":
                last = scenario.stacks[stack][-1]
                scenario.stacks[stack] += [last] * (int(value) - 1)
            case _:
                targets = list(scenario.stacks) if always else [stack]
                for target in targets:
                    scenario.stacks.setdefault(target, []).append(row(line))
    return scenario


def all_scenarios(folder: Path = SCENARIOS) -> list[Scenario]:
    return [read_scenario(path) for path in sorted(folder.glob("*.txt"))]

"""The true source frames of a recorded stack."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from builds import Build
from emulator.images import Frame
from linux_builds import LinuxBuild
from markers import Place
from scenarios import Row, Scenario
from symbol_names import readable


@dataclass(frozen=True)
class SourceFrame:
    function: str
    place: Place | None
    inlined: bool
    lost_because: str = ""
    is_symbol_only: bool = False
    alternatives: tuple["SourceFrame", ...] = ()


@dataclass(frozen=True)
class TrueFrame:
    """A frame of a run; `chain` holds its source frames, innermost first, if the app owns it."""

    frame: Frame
    chain: tuple[SourceFrame, ...] = ()


TrueStack = tuple[TrueFrame, ...]


class Mismatch(Exception):
    """A run without the frames of its scenario."""


@dataclass(frozen=True)
class Group:
    """The rows of one physical frame, innermost first. The last one owns the code, which may have
    other names."""

    rows: tuple[Row, ...]
    others: tuple[Row, ...]

    @property
    def owner(self) -> Row:
        return self.rows[-1]

    @property
    def names(self) -> set[str]:
        return {row.function for row in (self.owner, *self.others)}


def groups(rows: Sequence[Row], level: str) -> list[Group]:
    found: list[Group] = []
    inlined: list[Row] = []
    for row in rows:
        match row.presence[level]:
            case "inline":
                inlined.append(row)
            case "call" | "lost" | "symbol":
                found.append(Group((*inlined, row), ()))
                inlined = []
            case "or":
                found[-1] = replace(found[-1], others=(*found[-1].others, row))
    return found


@dataclass(frozen=True)
class Truth:
    """Converts the rows of one scenario to source frames of one build."""

    scenario: Scenario
    build: Build | LinuxBuild
    places: dict[str, Place]

    def chain(self, group: Group) -> tuple[SourceFrame, ...]:
        if not self.build.has_debug_information:
            return (SourceFrame(group.owner.function, None, False, is_symbol_only=True),)
        inlined = [self.source_frame(row, True) for row in group.rows[:-1]]
        others = tuple(self.source_frame(row, False) for row in group.others)
        owner = replace(self.source_frame(group.owner, False), alternatives=others)
        return (*inlined, owner)

    def source_frame(self, row: Row, inlined: bool) -> SourceFrame:
        presence = row.presence[self.build.level]
        return SourceFrame(
            row.function,
            self.places[row.marker] if row.marker else None,
            inlined,
            self.scenario.lost_because if presence == "lost" else "",
            presence == "symbol",
        )

    def resolve(self, stack: Sequence[Frame], rows: Sequence[Row]) -> TrueStack:
        """Joins a recorded stack with the scenario's rows; frames of the system have no rows.

        The names of the functions in the binary's symbol table must be those of the rows, so a
        scenario cannot claim frames that were not there. Debug information plays no part in it.
        """
        in_app = [frame for frame in stack if frame.in_app]
        chains: dict[int, tuple[SourceFrame, ...]] = {}
        pairs = zip_longest(in_app, groups(rows, self.build.level))
        for index, (frame, group) in enumerate(pairs):
            name = f"{frame.image} {readable(frame.symbol)}" if frame else "nothing"
            if not frame or not group or frame.image != group.owner.image or (
                    readable(frame.symbol) not in group.names):
                expected = " or ".join(group.names) if group else "nothing"
                raise Mismatch(f"{self.build.name}, {self.scenario.name}, frame {index}: "
                               f"is {name}, the scenario says {expected}")
            chains[id(frame)] = self.chain(group)
        return tuple(TrueFrame(frame, chains.get(id(frame), ())) for frame in stack)

    def resolve_sample(self, stack: Sequence[Frame], rows: Sequence[Row]) -> TrueStack:
        """The same for a sample, whose first row may be a function of the system."""
        innermost = stack[0]
        if not innermost.in_app:
            if (innermost.image, innermost.symbol) != (rows[0].image, rows[0].function):
                raise Mismatch(f"a sample in {innermost}")
            rows = rows[1:]
        return self.resolve(stack, rows)

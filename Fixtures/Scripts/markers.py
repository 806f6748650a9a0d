"""The `@line` markers of the sources: their files and lines, as in debug information."""

import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from settings import RECORDED_SOURCES, SOURCES

MARKER = re.compile(r"@line (\S+)")
LINE_DIRECTIVE = re.compile(r'#line (\d+) "(.+)"')


@dataclass(frozen=True)
class Place:
    path: str
    line: int

    @property
    def file(self) -> str:
        return PurePosixPath(self.path).name


def markers_in(source: Path) -> dict[str, Place]:
    """The markers of one file. `#line` counts, as it does for the compiler."""
    path = f"{RECORDED_SOURCES}/{source.relative_to(SOURCES)}"
    line = 0
    found: dict[str, Place] = {}
    for text in source.read_text().splitlines():
        directive = LINE_DIRECTIVE.match(text)
        if directive:
            line, path = int(directive[1]) - 1, directive[2]
            continue
        line += 1
        for name in MARKER.findall(text):
            if name in found:
                raise ValueError(f"{source}: marker '{name}' is there twice")
            found[name] = Place(path, line)
    return found


def all_markers() -> dict[str, Place]:
    markers: dict[str, Place] = {}
    for source in sorted(SOURCES.glob("*/*.*")):
        for name, place in markers_in(source).items():
            if name in markers:
                raise ValueError(f"{source}: marker '{name}' is also in {markers[name].path}")
            markers[name] = place
    return markers

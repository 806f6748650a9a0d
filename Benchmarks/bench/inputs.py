"""The debug files that are measured."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .images import Image, read_image
from .places import Places

#: Small ones first, as they are shown.
NAMES = ["libc", "python", "dsymc", "bfd", "rustsym", "dsymall", "ceph", "vmlinux", "libjvm"]
#: Those that take too long to make or to fetch unless they are asked for.
ON_REQUEST = {"dsymall", "vmlinux"}
#: Of the inflated files.
ENDINGS = ("elf", "macho")


@dataclass(frozen=True)
class Input:
    """One debug file, inflated, and perhaps the same as it was shipped."""

    name: str
    path: Path
    #: The same file with zlib sections.
    compressed: Path | None

    @cached_property
    def image(self) -> Image:
        return read_image(self.path)

    @property
    def megabytes(self) -> float:
        """The size of the inflated file, which decides what it counts for."""
        return self.path.stat().st_size / 1e6


def find_input(places: Places, name: str) -> Input | None:
    """The input of that name, if it is there."""
    for ending in ENDINGS:
        path = places.inputs / f"{name}.{ending}"
        if path.exists():
            compressed = places.inputs / f"{name}.comp"
            return Input(name, path, compressed if compressed.exists() else None)
    return None


def default_names(inputs: Path) -> list[str]:
    """What is measured when nothing is chosen: the usual ones, and those others that are there."""
    return [
        name for name in NAMES
        if name not in ON_REQUEST or any((inputs / f"{name}.{end}").exists() for end in ENDINGS)]

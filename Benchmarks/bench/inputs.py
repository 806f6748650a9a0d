"""The debug files to measure."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from .images import Image, read_image
from .places import Places

#: In the order of the tables, small ones first.
NAMES = ["libc", "python", "dsymc", "bfd", "rustsym", "dsymall", "ceph", "vmlinux", "libjvm"]
#: Inputs that take so long to make or to download that they are opt-in.
ON_REQUEST = {"dsymall", "vmlinux"}
#: The extensions of inflated files.
ENDINGS = ("elf", "macho")


@dataclass(frozen=True)
class Input:
    """One debug file, inflated, and optionally as shipped."""

    name: str
    path: Path
    #: The same file with zlib sections.
    compressed: Path | None

    @cached_property
    def image(self) -> Image:
        return read_image(self.path)

    @property
    def megabytes(self) -> float:
        """The size of the inflated file, which decides for which targets it counts."""
        return self.path.stat().st_size / 1e6


def find_input(places: Places, name: str) -> Input | None:
    """Returns the input with this name, or `None` if it does not exist."""
    for ending in ENDINGS:
        path = places.inputs / f"{name}.{ending}"
        if path.exists():
            compressed = places.inputs / f"{name}.comp"
            return Input(name, path, compressed if compressed.exists() else None)
    return None


def default_names(inputs: Path) -> list[str]:
    """Returns the default inputs: all but those on request, and those of them that exist."""
    return [
        name for name in NAMES
        if name not in ON_REQUEST or any((inputs / f"{name}.{end}").exists() for end in ENDINGS)]

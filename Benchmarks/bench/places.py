"""Paths: the project, its builds, and the working folder of a run."""

import os
from dataclasses import dataclass
from pathlib import Path

BENCHMARKS = Path(__file__).resolve().parent.parent
PROJECT = BENCHMARKS.parent
RESULTS = BENCHMARKS / "results"
FIXTURES = PROJECT / "Fixtures" / "Diagnostics"
SYMBOLS = PROJECT / "Symbols"


@dataclass(frozen=True)
class Places:
    """The working folder of a run, and the programs built for it."""

    folder: Path
    symbolist: Path
    measure: Path
    #: The HTTP server that reads and discards.
    discard: Path

    @property
    def inputs(self) -> Path:
        return self.folder / "in"

    @property
    def library(self) -> Path:
        """The path of symbolic's library, which is also one of the inputs."""
        return self.inputs / "rustsym.elf"

    @property
    def timed(self) -> Path:
        return self.folder / "drivers" / "timed"

    @property
    def symbolic(self) -> Path:
        return self.folder / "drivers" / "symbolic"

    @property
    def allocations(self) -> Path:
        """The library that counts the allocations of a program."""
        return self.folder / "drivers" / "allocations.so"

    def written(self, name: str) -> Path:
        """Returns the path of a file that is written during the run."""
        folder = self.folder / "written"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name


def llvm_tool(name: str) -> str:
    """Returns the path of a tool of LLVM 19. The environment variable LLVM sets another folder."""
    return str(Path(os.environ.get("LLVM", "/usr/lib/llvm-19/bin")) / name)

"""Where things are: the project, its builds, and the folder that a run works in."""

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
    """The folder of a run and the programs that were built for it."""

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
        """symbolic's library, which is one of the inputs too."""
        return self.inputs / "rustsym.elf"

    @property
    def timed(self) -> Path:
        return self.folder / "drivers" / "timed"

    @property
    def symbolic(self) -> Path:
        return self.folder / "drivers" / "symbolic"

    def written(self, name: str) -> Path:
        """A file that a tool writes or that is made for it."""
        folder = self.folder / "written"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / name


def llvm_tool(name: str) -> str:
    """The path of a tool of LLVM 19; LLVM names another folder of them."""
    return str(Path(os.environ.get("LLVM", "/usr/lib/llvm-19/bin")) / name)

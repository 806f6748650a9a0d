"""The Linux builds: how each is built, and its purpose."""

from dataclasses import dataclass
from pathlib import Path

from settings import SYMBOLS, WORK


@dataclass(frozen=True)
class LinuxBuild:
    variant: str
    compiler: str
    source: str
    program: str
    flags: str
    reason: str
    level: str = "release"
    compression: str = ""

    has_debug_information = True

    @property
    def name(self) -> str:
        return f"linux-{self.variant}"

    @property
    def work(self) -> Path:
        return WORK / "linux" / self.name

    @property
    def symbols(self) -> Path:
        return SYMBOLS / self.name

    @property
    def crashing(self) -> Path:
        """The program that is run: with symbols and without debug information."""
        return self.work / f"{self.program}.running"

    @property
    def linked(self) -> Path:
        return self.work / self.program

    @property
    def split_units(self) -> Path | None:
        """The file with the split units."""
        return self.work / f"{self.program}.dwo" if "-gsplit-dwarf" in self.flags else None

    @property
    def debug_file(self) -> Path:
        return self.symbols / f"{self.program}.debug"


LINUX_BUILDS = (
    LinuxBuild("cpp-gcc-dwarf4", "gcc", "Press.cpp", "press", "-O2 -gdwarf-4",
               "DWARF 4"),
    LinuxBuild("cpp-clang-dwarf5", "clang", "Press.cpp", "press", "-O2 -gdwarf-5",
               "DWARF 5 of another compiler"),
    LinuxBuild("cpp-zlib", "gcc", "Press.cpp", "press", "-O2 -gdwarf-5",
               "debug sections compressed with zlib", compression="zlib"),
    # -O1, because the build ID does not depend on the later compression.
    LinuxBuild("cpp-zstd", "clang", "Press.cpp", "press", "-O1 -gdwarf-5",
               "debug sections compressed with zstd", compression="zstd"),
    LinuxBuild("cpp-split", "clang", "Press.cpp", "press",
               "-O2 -gdwarf-5 -fbasic-block-sections=list=Press.sections"
               " -Wl,--symbol-ordering-file=Press.order",
               "a function in two ranges, far apart"),
    LinuxBuild("cpp-folded", "clang", "Press.cpp", "press",
               "-O2 -gdwarf-5 -ffunction-sections -Wl,--icf=all",
               "two functions with debug information share one address"),
    LinuxBuild("c-dwarf2", "clang", "seeds.c", "seeds", "-O2 -gdwarf-2", "DWARF 2"),
    LinuxBuild("c-dwarf3", "clang", "seeds.c", "seeds", "-O2 -gdwarf-3", "DWARF 3"),
    LinuxBuild("c-split-dwarf4", "gcc", "seeds.c", "seeds",
               "-O2 -gdwarf-4 -gsplit-dwarf -ffunction-sections",
               "functions and inlined calls are in a `.dwo` file and a package, in GNU's form"),
    LinuxBuild("c-split-dwarf5", "clang", "seeds.c", "seeds",
               "-O2 -gdwarf-5 -gsplit-dwarf -fno-split-dwarf-inlining -ffunction-sections",
               "the same in DWARF 5"),
    LinuxBuild("swift-release", "swift", "Engine.swift", "engine", "-O",
               "Swift on a server, with parts of the standard library inlined"),
    LinuxBuild("swift-debug", "swift", "Engine.swift", "engine", "-Onone",
               "Swift on a server, nothing inlined", level="debug"),
    LinuxBuild("rust-release", "rust", "scale.rs", "scale", "-O",
               "Rust, inlined through a generic type and a closure"),
)

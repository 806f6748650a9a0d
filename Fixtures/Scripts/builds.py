"""The Apple builds of the sample app: how each is built, and its purpose."""

from dataclasses import dataclass
from pathlib import Path

from settings import SYMBOLS, WORK

VERSION = "1.4.0"

BUNDLES = {"Orchard": "Orchard.app.dSYM", "OrchardKit": "OrchardKit.framework.dSYM"}

OUTLINE = "-Oz -moutline"
SPLIT = "-mllvm -hot-cold-split -mllvm -hotcoldsplit-threshold=0"
FOLD = "--icf=all -dead_strip"


@dataclass(frozen=True)
class Build:
    variant: str
    arch: str
    level: str
    debug: str
    reason: str
    c_flags: str = ""
    link_flags: str = ""

    @property
    def name(self) -> str:
        return f"orchard-{VERSION}-{self.variant}"

    @property
    def work(self) -> Path:
        """The folder where it was linked, whose binaries still have their symbol tables."""
        return WORK / "apple" / self.name

    @property
    def symbols(self) -> Path:
        """The published files; the two halves of a universal build share a folder."""
        return SYMBOLS / self.name.replace("universal-" + self.arch, "universal")

    @property
    def is_run(self) -> bool:
        """Whether there is an app to run; for the watch there are no Swift modules."""
        return self.arch != "arm64_32"

    @property
    def images(self) -> tuple[str, ...]:
        return ("Orchard", "OrchardKit") if self.is_run else ("OrchardKit",)

    @property
    def has_debug_information(self) -> bool:
        return self.debug != "none"

    def binary(self, image: str) -> Path:
        app = self.work / "Orchard.app"
        return app / image if image == "Orchard" else app / f"Frameworks/{image}.framework/{image}"

    def debug_file(self, image: str) -> Path:
        return self.work / BUNDLES[image] / "Contents/Resources/DWARF" / image


BUILDS = (
    Build("arm64-release-dwarf4", "arm64", "release", "dwarf4", "what most apps ship"),
    Build("arm64-release-dwarf5", "arm64", "release", "dwarf5", "the same in DWARF 5"),
    Build("arm64-debug-dwarf4", "arm64", "debug", "dwarf4", "only mandatory inlining"),
    Build("arm64-debug-dwarf5", "arm64", "debug", "dwarf5", "the same in DWARF 5"),
    Build("simulator-release", "x86_64", "release", "dwarf4", "another processor"),
    Build("simulator-debug", "x86_64", "debug", "dwarf5", "another processor, nothing inlined"),
    Build("arm64-hot-cold", "arm64", "release", "dwarf4",
          "unlikely code is split off into separate functions", SPLIT),
    Build("arm64-outlined", "arm64", "release", "dwarf4",
          "equal tails of functions are shared, in code that has no debug information", OUTLINE),
    Build("arm64-folded", "arm64", "release", "dwarf4",
          "equal functions share one address; unused ones are removed", "", FOLD),
    Build("arm64-size", "arm64", "release", "dwarf5",
          "optimised for size; in a zip file, as CI publishes it", "-Os"),
    Build("universal-arm64", "arm64", "release", "dwarf5", "one half of a fat dSYM"),
    Build("universal-x86_64", "x86_64", "release", "dwarf5", "the other half"),
    Build("arm64-no-debug-info", "arm64", "release", "none",
          "binaries with only a symbol table"),
    Build("watch-kit", "arm64_32", "release", "dwarf4",
          "the framework alone, with 32-bit pointers"),
)

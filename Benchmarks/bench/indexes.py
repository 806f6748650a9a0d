"""The indexes of the tools: how to make each, and its path."""

from dataclasses import dataclass
from pathlib import Path

from .inputs import Input
from .jobs import Job, removed
from .places import Places, llvm_tool

OURS, OURS_PARALLEL, SYMBOLIC, GSYMUTIL = "symbolist", "symbolist 2 threads", "symbolic", "gsymutil"


@dataclass(frozen=True)
class Indexes:
    """The indexes that the tools make of one input."""

    places: Places
    source: Input

    @property
    def ours(self) -> Path:
        return self.places.written(f"{self.source.name}.symidx")

    @property
    def symcache(self) -> Path:
        return self.places.written(f"{self.source.name}.symcache")

    @property
    def gsym(self) -> Path:
        return self.places.written(f"{self.source.name}.gsym")

    def path(self, tool: str) -> Path:
        """Returns the path of a tool's index."""
        return {
            OURS: self.ours, SYMBOLIC: self.symcache, GSYMUTIL: self.gsym,
            OURS_PARALLEL: self.places.written(f"{self.source.name}.2.symidx")}[tool]

    def jobs(self, debug_file: Path, parallel: bool = False) -> list[Job]:
        """Returns the conversion of a form of the input by each tool."""
        commands = {
            OURS: self._ours(debug_file, self.ours, threads=1),
            SYMBOLIC: [
                self.places.symbolic, self.places.library, "convert", debug_file, self.symcache],
            GSYMUTIL: [
                llvm_tool("llvm-gsymutil"), f"--convert={debug_file}", f"--out-file={self.gsym}",
                "--num-threads=1"],
        }
        if parallel:
            commands[OURS_PARALLEL] = self._ours(
                debug_file, self.path(OURS_PARALLEL), threads=2)
        # Removed first, so that a failed conversion does not leave the index of an earlier run.
        return [
            Job(tool, command, prepare=removed(self.path(tool)))
            for tool, command in commands.items()]

    def _ours(self, debug_file: Path, output: Path, threads: int) -> list:
        return [
            self.places.symbolist, "index", debug_file, "-o", output, "--threads", threads]

"""Runs the compilers' tools."""

import subprocess
from pathlib import Path


def output_of(*command: str | Path, stdin: str | None = None) -> str:
    """Returns the output of a command. If it fails, the error contains its message."""
    result = subprocess.run(
        [str(part) for part in command], input=stdin, capture_output=True, text=True
    )
    if result.returncode:
        raise RuntimeError(f"{Path(command[0]).name}: {result.stderr}{result.stdout}")
    return result.stdout

"""Linkage names, as people write them."""

import subprocess
from functools import lru_cache

from settings import LLVM_BIN, SWIFT_BIN


@lru_cache(maxsize=None)
def readable(name: str) -> str:
    """The function that a linkage name stands for.

    A copy that the optimiser specialised is still that function to whoever reads the report.
    """
    if name.startswith("$s"):
        tool = [SWIFT_BIN / "swift-demangle", "-compact", "-simplified", name]
    elif name.startswith("_Z"):
        tool = [LLVM_BIN / "llvm-cxxfilt", name]
    else:
        return name
    output = subprocess.run(tool, check=True, capture_output=True, text=True).stdout.strip()
    return output.removeprefix("specialized ")

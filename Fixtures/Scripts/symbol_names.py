"""Linkage names, as people write them."""

import re
import subprocess
from functools import lru_cache

from settings import LLVM_BIN, SWIFT_BIN


# What Rust's older mangling makes of characters that C++ names do not have.
RUST_ESCAPES = {"$LT$": "<", "$GT$": ">", "$u7b$": "{", "$u7d$": "}", "$RF$": "&", "$u20$": " "}

# A function's hash in Rust, and what C++ compilers call its far part.
SUFFIX = re.compile(r"::h[0-9a-f]{16}$| \(\.cold\)$")


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
    output = output.replace("::_$", "::$")
    for escape, character in RUST_ESCAPES.items():
        output = output.replace(escape, character)
    return SUFFIX.sub("", output).removeprefix("specialized ")

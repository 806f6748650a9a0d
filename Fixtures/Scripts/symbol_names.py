"""Linkage names in source form."""

import re
from functools import cache

from settings import LLVM_BIN, SWIFT_BIN
from tools import output_of


# Rust's older mangling of characters that C++ names do not have.
RUST_ESCAPES = {"$LT$": "<", "$GT$": ">", "$u7b$": "{", "$u7d$": "}", "$RF$": "&", "$u20$": " "}

# A function's hash in Rust, and the suffix of its cold part in C++.
SUFFIX = re.compile(r"::h[0-9a-f]{16}$| \(\.cold\)$")


@cache
def readable(name: str) -> str:
    """Returns the function of a linkage name.

    A copy that the optimiser specialised is still that function to whoever reads the report.
    """
    if name.startswith("$s"):
        demangled = output_of(SWIFT_BIN / "swift-demangle", "-compact", "-simplified", name)
        return demangled.strip().removeprefix("specialized ")
    if name.startswith("_Z"):
        demangled = output_of(LLVM_BIN / "llvm-cxxfilt", name).strip().replace("::_$", "::$")
        for escape, character in RUST_ESCAPES.items():
            demangled = demangled.replace(escape, character)
        return SUFFIX.sub("", demangled)
    return name

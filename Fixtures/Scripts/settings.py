"""The paths of the tools, and the folders of the fixtures."""

import os
from pathlib import Path

SWIFT_BIN = Path(os.environ.get("SWIFT_BIN", "/opt/swift/usr/bin"))
SWIFT_LIB = SWIFT_BIN.parent / "lib" / "swift"
LLVM_BIN = Path(os.environ.get("LLVM_BIN", "/usr/lib/llvm-19/bin"))

FIXTURES = Path(__file__).resolve().parent.parent
SOURCES = FIXTURES / "Sources"
SCENARIOS = FIXTURES / "Scenarios"
DIAGNOSTICS = FIXTURES / "Diagnostics"
WORK = FIXTURES / ".build"
SYMBOLS = FIXTURES.parent / "Symbols"

# The folder of the sources in the debug information, the same on every build machine.
RECORDED_SOURCES = "/Users/ci/orchard"

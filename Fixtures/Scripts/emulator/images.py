"""Images in the emulated address space, and frames that point into them."""

import uuid
import zlib
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path

import lief

lief.logging.disable()

APP_SLIDE = 0x4A2C000
FIRST_LIBRARY = 0x105B40000
LIBRARY_DISTANCE = 0x1000000
FIRST_SYSTEM_IMAGE = 0x1A0B54000
SYSTEM_DISTANCE = 0x01000000
SYSTEM_TEXT_SIZE = 0x00200000


@dataclass(frozen=True)
class Frame:
    """One entry of a call stack; for callers the address is the return address."""

    image: str
    uuid: str
    load: int
    address: int
    in_app: bool
    symbol: str | None

    @property
    def offset(self) -> int:
        return self.address - self.load


@dataclass
class AppImage:
    """A Mach-O binary of the app, as linked and mapped."""

    path: Path
    slide: int
    binary: lief.MachO.Binary = field(init=False)

    def __post_init__(self) -> None:
        slices = lief.MachO.parse(str(self.path))
        binary = slices.at(0) if slices else None
        if binary is None or binary.uuid is None:
            raise ValueError(f"{self.path}: is not a Mach-O file with a UUID")
        self.binary = binary
        self.name = self.path.name
        self.uuid = str(uuid.UUID(bytes=bytes(binary.uuid.uuid))).upper()
        self.segments = [
            segment for segment in self.binary.segments
            if segment.name != "__PAGEZERO" and segment.virtual_size
        ]
        text = next(segment for segment in self.segments if segment.name == "__TEXT")
        self.load = text.virtual_address + self.slide
        self.text_size = text.virtual_size
        self.end = self.slide + max(s.virtual_address + s.virtual_size for s in self.segments)
        # An undefined symbol has no section, and debugging entries have one of the top three bits.
        defined = [
            (symbol.value + self.slide, str(symbol.name)) for symbol in self.binary.symbols
            if symbol.value and symbol.raw_type & 0x0E and not symbol.raw_type & 0xE0
        ]
        self.symbols = {name: address for address, name in defined}
        self._sorted = sorted(defined)

    @property
    def is_arm64(self) -> bool:
        return self.binary.header.cpu_type == lief.MachO.Header.CPU_TYPE.ARM64

    def symbol_at(self, address: int) -> str:
        """The linkage name at the address, without the underscore that the linker prepends."""
        _, symbol = self._sorted[bisect_right(self._sorted, (address, "\x7f")) - 1]
        return symbol.removeprefix("_")


class SystemImage:
    """A library of the operating system: functions without code, at fixed addresses."""

    def __init__(self, name: str, index: int) -> None:
        self.name = name
        self.load = FIRST_SYSTEM_IMAGE + index * SYSTEM_DISTANCE
        self.end = self.load + SYSTEM_TEXT_SIZE
        self.uuid = str(uuid.uuid5(uuid.NAMESPACE_URL, f"https://orchard.example/{name}")).upper()
        self._functions: dict[int, str] = {}

    def address_of(self, function: str) -> int:
        """The address of `function`, which has sixteen bytes and is the same in every run."""
        offset = 0x1000 + zlib.crc32(function.encode()) % (SYSTEM_TEXT_SIZE - 0x2000) // 16 * 16
        while self._functions.get(offset, function) != function:
            offset += 16
        self._functions[offset] = function
        return self.load + offset

    def symbol_at(self, address: int) -> str | None:
        return self._functions.get((address - self.load) // 16 * 16)

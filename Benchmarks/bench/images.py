"""Reads the parts of a debug file that addresses are made from: identity, base, and text sections."""

import struct
from dataclasses import dataclass
from pathlib import Path


class ImageError(Exception):
    """A file for which no addresses can be made."""


@dataclass(frozen=True)
class Image:
    """A thin 64-bit little-endian file."""

    identity: str
    #: The link address that offsets are relative to.
    base: int
    #: Address and size of each text section, ascending.
    text: list[tuple[int, int]]
    is_elf: bool


def read_image(path: Path) -> Image:
    """Reads the headers of an ELF or Mach-O file."""
    with open(path, "rb") as file:
        magic = file.read(6)
        if magic == b"\x7fELF\x02\x01":
            image = _read_elf(file)
        elif magic[:4] == b"\xcf\xfa\xed\xfe":
            image = _read_macho(file)
        else:
            raise ImageError(f"{path}: is neither thin 64-bit ELF nor Mach-O")
    if not image.text or not image.identity:
        raise ImageError(f"{path}: has no text section or no identity")
    return image


def _at(file, offset: int, size: int) -> bytes:
    file.seek(offset)
    return file.read(size)


def _text(bytes_: bytes, offset: int) -> str:
    return bytes_[offset:bytes_.index(b"\0", offset)].decode()


SHT_NOTE = 7
PT_LOAD = 1
NT_GNU_BUILD_ID = 3


def _read_elf(file) -> Image:
    """Reads header, program headers and section headers, as in the ELF gABI."""
    segments, sections = struct.unpack("<QQ", _at(file, 32, 16))
    segment_count, _, section_count, names_index = struct.unpack("<4H", _at(file, 56, 8))
    loads = [struct.unpack("<IIQQ", _at(file, segments + 56 * i, 24)) for i in range(segment_count)]
    headers = [
        struct.unpack("<IIQQQQIIQQ", _at(file, sections + 64 * i, 64)) for i in range(section_count)
    ]
    names = _at(file, headers[names_index][4], headers[names_index][5])
    text, identity = [], ""
    for name, kind, _, address, offset, size, *_ in headers:
        name = _text(names, name)
        if name.startswith(".text") or name == ".init.text":
            text.append((address, size))
        elif kind == SHT_NOTE:
            identity = identity or _build_id(_at(file, offset, size))
    base = next((address for kind, _, _, address in loads if kind == PT_LOAD), 0)
    return Image(identity, base, sorted(text), is_elf=True)


def _build_id(notes: bytes) -> str:
    """Returns the build ID in a note section. The kernel has one section for all notes."""
    position = 0
    while position + 12 <= len(notes):
        owner_size, size, kind = struct.unpack_from("<III", notes, position)
        owner = position + 12
        content = owner + (owner_size + 3) // 4 * 4
        if kind == NT_GNU_BUILD_ID and notes[owner:owner + owner_size] == b"GNU\0":
            return notes[content:content + size].hex()
        position = content + (size + 3) // 4 * 4
    return ""


LC_UUID = 0x1B
LC_SEGMENT_64 = 0x19


def _read_macho(file) -> Image:
    """Reads the load commands, as in <mach-o/loader.h>."""
    count, size = struct.unpack("<II", _at(file, 16, 8))
    commands = _at(file, 32, size)
    base, text, identity, position = 0, [], "", 0
    for _ in range(count):
        command, size = struct.unpack_from("<II", commands, position)
        if command == LC_UUID:
            identity = commands[position + 8:position + 24].hex()
        elif command == LC_SEGMENT_64:
            segment = commands[position:position + size]
            if _name(segment, 8) == "__TEXT":
                base = struct.unpack_from("<Q", segment, 24)[0]
            text += _text_sections(segment)
        position += size
    return Image(identity, base, sorted(text), is_elf=False)


def _text_sections(segment: bytes) -> list[tuple[int, int]]:
    found = []
    for i in range(struct.unpack_from("<I", segment, 64)[0]):
        section = 72 + 80 * i
        if _name(segment, section) == "__text":
            found.append(struct.unpack_from("<QQ", segment, section + 32))
    return found


def _name(bytes_: bytes, offset: int) -> str:
    """Returns a name in a field of 16 bytes, padded with zeros."""
    return bytes_[offset:offset + 16].rstrip(b"\0").decode()

"""Finds the sections of a debug file: enough of ELF and Mach-O to know what to damage."""

import struct

FAT_MAGICS = {0xCAFEBABE: (">iiIII", 2), 0xCAFEBABF: (">iiQQI", 2)}
MACHO_64 = 0xFEEDFACF
MACHO_32 = 0xFEEDFACE
LC_SEGMENT, LC_SYMTAB, LC_SEGMENT_64 = 0x1, 0x2, 0x19
SHT_NOBITS = 8


def sections(data):
    """Returns ranges of the file by names such as `debug_info`, including section and symbol tables."""
    try:
        if data[:4] == b"\x7fELF":
            return list(_elf(data))
        (magic,) = struct.unpack_from(">I", data)
        if magic in FAT_MAGICS:
            return list(_fat(data, *FAT_MAGICS[magic]))
        return list(_macho(data, 0))
    except struct.error as error:
        raise ValueError("not a valid debug file: use an undamaged one") from error


def _elf(data):
    order = "<" if data[5] == 1 else ">"
    is_64 = data[4] == 2
    (table,) = struct.unpack_from(order + ("Q" if is_64 else "I"), data, 40 if is_64 else 32)
    size, count, names = struct.unpack_from(order + "HHH", data, 58 if is_64 else 46)
    layout = order + ("IIQQQQ" if is_64 else "IIIIII")
    headers = [struct.unpack_from(layout, data, table + size * index) for index in range(count)]
    yield "section headers", range(table, table + size * count)
    for name, kind, _, _, offset, length in headers:
        if kind != SHT_NOBITS and length:
            text = headers[names][4] + name
            found = data[text:data.index(b"\0", text)].decode(errors="replace")
            yield found.lstrip("."), range(offset, offset + length)


def _fat(data, layout, offset_index):
    (count,) = struct.unpack_from(">I", data, 4)
    size = struct.calcsize(layout) + (4 if "Q" in layout else 0)
    for index in range(count):
        slice_ = struct.unpack_from(layout, data, 8 + size * index)
        yield from _macho(data, slice_[offset_index])


def _macho(data, start):
    (magic,) = struct.unpack_from("<I", data, start)
    if magic not in (MACHO_64, MACHO_32):
        raise ValueError("neither ELF nor little-endian Mach-O")
    is_64 = magic == MACHO_64
    command_count, commands_size = struct.unpack_from("<II", data, start + 16)
    place = start + (32 if is_64 else 28)
    yield "load commands", range(place, place + commands_size)
    for _ in range(command_count):
        command, size = struct.unpack_from("<II", data, place)
        if command == LC_SYMTAB:
            offset, count = struct.unpack_from("<II", data, place + 8)
            yield "symbols", range(start + offset, start + offset + count * (16 if is_64 else 12))
        elif command in (LC_SEGMENT, LC_SEGMENT_64):
            yield from _segment(data, start, place, is_64)
        place += size


def _segment(data, start, place, is_64):
    (count,) = struct.unpack_from("<I", data, place + (64 if is_64 else 48))
    first, size = (place + 72, 80) if is_64 else (place + 56, 68)
    for section in range(first, first + size * count, size):
        name = data[section:section + 16].rstrip(b"\0").decode(errors="replace")
        layout = "<QQI" if is_64 else "<III"
        _, length, offset = struct.unpack_from(layout, data, section + 32)
        if offset and length:
            yield name.lstrip("_"), range(start + offset, start + offset + length)

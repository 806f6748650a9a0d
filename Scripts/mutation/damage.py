"""Kinds of damage to a debug file, mostly to what its reader uses."""

import random
import struct

from mutation.sections import sections

HEADER_SIZE = 4096
EXTREMES = (0, 1, 0x7F, 0x80, 0xFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFF0, 0xFFFFFFFF)
# Sections that consist of contributions, each of which starts with its length.
WITH_LENGTHS = ("debug_info", "debug_line", "debug_rnglists", "debug_addr", "debug_str_offs")
# The tables that an index is built from besides the debug information.
TABLES = ("section headers", "load commands", "symbols", "symtab", "note.gnu.build-id")
CONTRIBUTIONS_LIMIT = 1 << 16


class Damage:
    """Makes damaged copies of a file."""

    def __init__(self, original):
        self._original = original
        self._places = {
            name: place for name, place in sections(original)
            if "debug_" in name or name in TABLES}
        self._whole = range(len(original))
        self._header = range(min(len(original), HEADER_SIZE))
        self._contributions = {
            name: list(self._lengths(place)) for name, place in self._places.items()
            if name.startswith(WITH_LENGTHS)}
        self._kinds = [
            self._truncation, self._header_bytes, self._header_number, self._section_bytes,
            self._section_bits, self._section_number, self._length, self._copy, self._run]

    def copy(self, seed):
        """Returns the kind of damage that `seed` selects, and a copy damaged that way."""
        numbers = random.Random(seed)
        damaged = bytearray(self._original)
        kind = numbers.choice(self._kinds)
        kind(damaged, numbers)
        return kind.__name__.strip("_").replace("_", " "), damaged

    def _lengths(self, place):
        """Yields the starts of contributions, by their 32-bit lengths."""
        start = place.start
        for _ in range(CONTRIBUTIONS_LIMIT):
            if start + 16 > place.stop:
                return
            yield start
            (length,) = struct.unpack_from("<I", self._original, start)
            start += length + 4

    def _section(self, numbers):
        """Returns a random section, or the whole file if there are none."""
        return self._places[numbers.choice(list(self._places))] if self._places else self._whole

    def _truncation(self, data, numbers):
        del data[numbers.choice(self._whole):]

    def _header_bytes(self, data, numbers):
        for _ in range(numbers.randint(1, 16)):
            data[numbers.choice(self._header)] = numbers.randrange(256)

    def _header_number(self, data, numbers):
        _put(data, numbers.choice(self._header) & ~3, numbers)

    def _section_bytes(self, data, numbers):
        section = self._section(numbers)
        for _ in range(numbers.randint(1, 64)):
            data[numbers.choice(section)] = numbers.choice((0, 1, 0x7F, 0x80, 0xFF))

    def _section_bits(self, data, numbers):
        section = self._section(numbers)
        for _ in range(numbers.randint(1, 64)):
            data[numbers.choice(section)] ^= 1 << numbers.randrange(8)

    def _section_number(self, data, numbers):
        section = self._section(numbers)
        for _ in range(numbers.randint(1, 4)):
            _put(data, numbers.choice(section) & ~3, numbers)

    def _length(self, data, numbers):
        """Changes a number in the header of a contribution: its length, version, sizes or offsets."""
        starts = [starts for starts in self._contributions.values() if starts]
        if not starts:
            return self._section_number(data, numbers)
        start = numbers.choice(numbers.choice(starts))
        if numbers.random() < 0.5:
            (length,) = struct.unpack_from("<I", data, start)
            wrong = max(0, length + numbers.randint(-64, 64)) & 0xFFFFFFFF
            struct.pack_into("<I", data, start, wrong)
        else:
            _put(data, start + numbers.randrange(16), numbers)

    def _copy(self, data, numbers):
        """Overwrites a part of one section with a part of another."""
        source, target = self._section(numbers), self._section(numbers)
        length = min(numbers.choice((16, 256, 4096)), len(source), len(target))
        start = numbers.choice(source[:len(source) - length + 1])
        place = numbers.choice(target[:len(target) - length + 1])
        data[place:place + length] = data[start:start + length]

    def _run(self, data, numbers):
        """Writes a run of one byte: zeros, or the bytes of an unterminated LEB128 number."""
        section = self._section(numbers)
        start = numbers.choice(section)
        stop = min(start + numbers.choice((4, 64, 1024)), section.stop)
        data[start:stop] = bytes([numbers.choice((0, 0x80, 0xFF))]) * (stop - start)


def _put(data, place, numbers):
    """Writes an extreme 32-bit number."""
    place = max(0, min(place, len(data) - 4))
    struct.pack_into("<I", data, place, numbers.choice(EXTREMES))

"""Random addresses in an input's text sections, in the formats that the tools read."""

import array
import random
import sys
from functools import cache

from .inputs import Input
from .places import Places

SEED = 42
#: The number looked up within one process.
MANY = 1_000_000
#: The number looked up by a whole tool.
SOME = 10_000


class AddressFiles:
    """Files with the addresses of one input. Create it with `address_files`."""

    def __init__(self, places: Places, source: Input):
        self._places, self._input = places, source
        #: All offsets from the image's base, as little-endian 64-bit numbers.
        self.offsets = places.written(f"{source.name}.offsets")
        self._write()

    def lines(self, form: str, count: int):
        """Returns a file of `count` lines: `addresses` (absolute) or `pairs` (identity, offset)."""
        return self._places.written(f"{self._input.name}.{form}.{count}")

    def gsym_lines(self, gsym, count: int):
        """Returns a file of absolute addresses, each with the path of the GSYM file, for llvm-gsymutil."""
        path = self._places.written(f"{self._input.name}.gsym-lines.{count}")
        with open(self.lines("addresses", count)) as addresses, open(path, "w") as file:
            file.writelines(f"{line.strip()} {gsym}\n" for line in addresses)
        return path

    def _write(self):
        image = self._input.image
        addresses = _uniform(image.text, MANY)
        offsets = array.array("Q", (address - image.base for address in addresses))
        if sys.byteorder == "big":
            offsets.byteswap()
        with open(self.offsets, "wb") as file:
            offsets.tofile(file)
        for count in (1, SOME):
            with open(self.lines("addresses", count), "w") as file:
                file.writelines(f"{address:#x}\n" for address in addresses[:count])
            with open(self.lines("pairs", count), "w") as file:
                file.writelines(
                    f"{image.identity} {address - image.base:#x}\n"
                    for address in addresses[:count])


@cache
def address_files(places: Places, source: Input) -> AddressFiles:
    """Returns the addresses of an input, written once a run. They are the same in every run."""
    return AddressFiles(places, source)


def _uniform(sections: list[tuple[int, int]], count: int) -> array.array:
    """Returns `count` addresses, uniformly distributed over the sections."""
    numbers = random.Random(SEED)
    total = sum(size for _, size in sections)

    def pick() -> int:
        place = numbers.randrange(total)
        for address, size in sections:
            if place < size:
                return address + place
            place -= size
        raise AssertionError("the position is in some section")

    return array.array("Q", (pick() for _ in range(count)))

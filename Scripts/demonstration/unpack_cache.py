"""Writes the files of a generated shared cache, which are concatenated in a fixture: unpack_cache.py FILE FOLDER."""
import os
import struct
import sys

ENDINGS = ["", ".01", ".02.dylddata", ".03.dyldlinkedit", ".symbols"]

packed = open(sys.argv[1], "rb").read()
os.makedirs(sys.argv[2], exist_ok=True)
place = 0
for ending in ENDINGS:
    size, = struct.unpack_from("<I", packed, place)
    with open(os.path.join(sys.argv[2], "dyld_shared_cache_arm64e" + ending), "wb") as file:
        file.write(packed[place + 4:place + 4 + size])
    place += 4 + size

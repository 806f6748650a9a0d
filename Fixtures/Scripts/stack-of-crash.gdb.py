"""For gdb: run the program until it crashes, and print the addresses of its stack.

The program has no debug information, so what gdb walks is the unwind tables, and each line is a
frame of the machine: its address, and the start and file of the mapping it lies in.
"""

import gdb

for command in ("set debuginfod enabled off", "set confirm off", "set print thread-events off"):
    gdb.execute(command)
gdb.execute("run", to_string=True)
mappings = gdb.execute("info proc mappings", to_string=True).splitlines()

# start, end, size, offset, permissions, file
regions = [line.split() for line in mappings if line.strip().startswith("0x")]
first_of: dict[str, int] = {}
for region in regions:
    first_of.setdefault(region[-1], int(region[0], 16))

frame = gdb.newest_frame()
while frame is not None:
    address = frame.pc()
    for region in regions:
        if int(region[0], 16) <= address < int(region[1], 16):
            print("frame", address, first_of[region[-1]], region[-1])
    frame = frame.older()

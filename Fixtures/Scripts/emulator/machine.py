"""One emulated run of the app."""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from unicorn import UC_HOOK_CODE, UC_HOOK_MEM_UNMAPPED, UcError

from . import cpu as processors
from . import system
from .images import APP_SLIDE, FIRST_LIBRARY, LIBRARY_DISTANCE, AppImage, Frame, SystemImage

PAGE = 0x4000
STACK_TOP, STACK_SIZE = 0x16FE00000, 0x100000
HEAP, HEAP_SIZE = 0x281000000, 0x400000
MOST_INSTRUCTIONS = 3_000_000

# Symbols of system libraries that are data; everything else that an app imports is code.
DATA_SUFFIXES = ("N", "Mn", "WV", "Wvd", "Mp")
DATA_PREFIXES = ("__objc_empty", "_OBJC_CLASS", "_OBJC_METACLASS", "__NSConcrete", "dyld_stub")


@dataclass(frozen=True)
class Stop:
    """The reason and the location of a run's end; `address` is that of the exception."""

    reason: str
    address: int
    stack: tuple[Frame, ...]


class Machine:
    """A process with the app, its framework and the system images mapped."""

    def __init__(self, app: Path, *libraries: Path) -> None:
        self.images = [AppImage(app, APP_SLIDE)]
        for index, path in enumerate(libraries):
            self.images.append(AppImage(path, FIRST_LIBRARY + index * LIBRARY_DISTANCE))
        self.system = {
            name: SystemImage(name, index) for index, name in enumerate(system.SYSTEM_IMAGES)
        }
        self.cpu: processors.Arm64 | processors.X86
        self.cpu = processors.Arm64() if self.images[0].is_arm64 else processors.X86()
        self.calls: list[int] = []
        self.button: int | None = None
        self.ended: Stop | None = None
        self.instructions = 0
        self.on_instruction: Callable[[], None] | None = None
        self.pc = 0
        self._heap = HEAP + 0x100
        self._mapped: set[int] = set()
        self._behaviours: dict[int, system.Behaviour] = {}
        self._data: dict[str, int] = {}
        self._map(STACK_TOP - STACK_SIZE, STACK_SIZE)
        self._map(HEAP, HEAP_SIZE)
        for image in self.images:
            self._load(image)
        for image in self.images:
            self._bind(image)
        self.cpu.uc.hook_add(UC_HOOK_CODE, self._execute)
        self.cpu.uc.hook_add(UC_HOOK_MEM_UNMAPPED, self._fault)

    def launch(self, button: int | None) -> Stop:
        """Starts the app; it taps a button, or stops where the main thread waits for one."""
        self.button = button
        return self._run(self.symbol("_main"), system.PROCESS_START)

    def start_task(self, function: str) -> Stop:
        """Runs an async function as a task of its own, given its async function pointer."""
        record = self.symbol(function)
        distance, size = struct.unpack("<iI", self.cpu.uc.mem_read(record, 8))
        self.cpu.set_async_context(self.allocate(size + 64))
        return self._run(record + distance, system.TASK_START)

    def start_work(self, function: str) -> Stop:
        """Runs a function as a block on a background queue."""
        return self._run(self.symbol(function), system.QUEUE_START)

    def stack(self) -> tuple[Frame, ...]:
        """The current stack, innermost first."""
        callers = [self._frame(address, address - 1) for address in reversed(self.calls)]
        return (self._frame(self.pc, self.pc), *callers)

    def system_address(self, image: str, function: str) -> int:
        """An address in a system function, after an instruction or two."""
        return self.system[image].address_of(function) + 8

    def system_frame(self, image: str, function: str) -> Frame:
        address = self.system_address(image, function)
        return self._frame(address, address - 1)

    def push_system_call(self, image: str, function: str) -> None:
        address = self.system_address(image, function)
        self._map(address // PAGE * PAGE, PAGE)
        self.calls.append(address)

    def symbol(self, name: str) -> int:
        return next(i.symbols[name] for i in self.images if name in i.symbols)

    def symbol_ending(self, suffix: str, starting: str) -> int:
        names = (name for image in self.images for name in image.symbols)
        return self.symbol(next(n for n in names if n.startswith(starting) and n.endswith(suffix)))

    def string(self, address: int) -> str:
        return bytes(self.cpu.uc.mem_read(address, 128)).split(b"\0")[0].decode()

    def allocate(self, size: int) -> int:
        address = self._heap
        self._heap = (address + size + 31) & ~15
        return address

    def new_object(self, metadata: int, size: int) -> int:
        address = self.allocate(size)
        self.cpu.uc.mem_write(address, struct.pack("<QQ", metadata, 3))
        return address

    def data(self, name: str) -> int:
        """Memory for a variable of the system, zero except for pointers to further variables."""
        if name not in self._data:
            self._data[name] = self.allocate(256) + 64
            # A type's metadata is preceded by a pointer to its value witnesses.
            if name.endswith("N"):
                witnesses = struct.pack("<Q", self.data("value witnesses"))
                self.cpu.uc.mem_write(self._data[name] - 8, witnesses)
        return self._data[name]

    def pass_time(self, instructions: int) -> None:
        """Lets time pass in a system call, counted as instructions for the sampler."""
        for _ in range(instructions):
            self.instructions += 1
            if self.on_instruction:
                self.on_instruction()

    def stop(self, reason: str, address: int | None = None) -> None:
        """Ends the run; `address` is that of the exception, if it is not the instruction's."""
        if self.ended is None:
            self.ended = Stop(reason, self.pc if address is None else address, self.stack())
        self.cpu.uc.emu_stop()

    def _frame(self, address: int, inside: int) -> Frame:
        """A frame whose function contains `inside`; the return address may be in the next function."""
        image = self._image_at(address)
        in_app = isinstance(image, AppImage)
        symbol = image.symbol_at(inside)
        return Frame(image.name, image.uuid, image.load, address, in_app, symbol)

    def _run(self, entry: int, callers: tuple[tuple[str, str], ...]) -> Stop:
        self.cpu.set_stack(STACK_TOP - 0x1000)
        for image, function in reversed(callers):
            self.push_system_call(image, function)
        self._outermost = self.calls[-1]
        self.cpu.enter(entry, self._outermost)
        try:
            self.cpu.uc.emu_start(entry, 0, count=MOST_INSTRUCTIONS)
        except UcError:
            if self.ended is None:
                raise
        if self.ended is None:
            raise RuntimeError(f"no end after {MOST_INSTRUCTIONS} instructions")
        return self.ended

    def _execute(self, uc: object, address: int, size: int, _: object) -> None:
        self.pc = address
        self.instructions += 1
        if self.on_instruction:
            self.on_instruction()
        behaviour = self._behaviours.get(address)
        if behaviour:
            target = behaviour(self)
            if target is not None:
                self.cpu.jump(target)
                return
        kind = self.cpu.kind(address, size)
        if kind == processors.CALL:
            self.calls.append(address + size)
        elif kind == processors.RETURN:
            self._return(self.cpu.return_address())
        elif kind == processors.TRAP:
            self.stop(self.cpu.trap_name)

    def _return(self, target: int) -> None:
        while self.calls and self.calls.pop() != target:
            pass
        if isinstance(self._image_at(target), SystemImage):
            self.stop("returned to the system")

    def _fault(self, uc: object, access: int, address: int, *_: object) -> bool:
        self.stop("EXC_BAD_ACCESS", address)
        return False

    def _image_at(self, address: int) -> AppImage | SystemImage:
        images: list[AppImage | SystemImage] = [*self.images, *self.system.values()]
        for image in images:
            if image.load <= address < image.end:
                return image
        raise LookupError(f"{address:#x} is in no image")

    def _map(self, start: int, size: int) -> None:
        for page in range(start // PAGE * PAGE, start + size, PAGE):
            if page not in self._mapped:
                self._mapped.add(page)
                self.cpu.uc.mem_map(page, PAGE)

    def _load(self, image: AppImage) -> None:
        self._map(image.load, image.end - image.load)
        for segment in image.segments:
            self.cpu.uc.mem_write(segment.virtual_address + image.slide, bytes(segment.content))

    def _bind(self, image: AppImage) -> None:
        """Does the dynamic linker's work: moves pointers, and fills in imported addresses."""
        for relocation in image.binary.relocations:
            place = relocation.address + image.slide
            value = struct.unpack("<Q", self.cpu.uc.mem_read(place, 8))[0]
            self.cpu.uc.mem_write(place, struct.pack("<Q", value + image.slide))
        for binding in image.binary.bindings:
            if binding.symbol is None:
                continue
            value = self._resolve(str(binding.symbol.name)) + binding.addend
            self.cpu.uc.mem_write(binding.address + image.slide, struct.pack("<Q", value))

    def _resolve(self, name: str) -> int:
        for image in self.images:
            if name in image.symbols:
                return image.symbols[name]
        swift_data = name.startswith("_$s") and name.endswith(DATA_SUFFIXES)
        if swift_data or name.startswith(DATA_PREFIXES):
            return self.data(name)
        library, behaviour = system.BEHAVIOURS.get(name, ("dyld", system.lacking(name)))
        address = self.system[library].address_of(name)
        self._map(address // PAGE * PAGE, PAGE)
        self.cpu.uc.mem_write(address, self.cpu.return_instruction)
        self._behaviours[address] = behaviour
        return address

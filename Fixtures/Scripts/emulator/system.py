"""The parts of iOS that the sample app calls, each in a few lines of Python.

A behaviour receives the machine, stopped at the function's first instruction. It returns `None` to
return to the caller, or the address at which to go on.
"""

import struct
from typing import TYPE_CHECKING, Callable

if TYPE_CHECKING:
    from .machine import Machine

Behaviour = Callable[["Machine"], int | None]

BEHAVIOURS: dict[str, tuple[str, Behaviour]] = {}

# The frames between the app's callback and its `main`, innermost first.
RUN_LOOP = (
    ("UIKitCore", "-[UIControl sendAction:to:forEvent:]"),
    ("UIKitCore", "-[UIApplication sendEvent:]"),
    ("UIKitCore", "__handleEventQueueInternal"),
    ("CoreFoundation", "__CFRunLoopDoSources0"),
    ("CoreFoundation", "CFRunLoopRunSpecific"),
    ("GraphicsServices", "GSEventRunModal"),
    ("UIKitCore", "-[UIApplication _run]"),
    ("UIKitCore", "UIApplicationMain"),
)

# The main thread, waiting in its run loop for the next event.
WAITING = (
    ("libsystem_kernel.dylib", "mach_msg2_trap"),
    ("libsystem_kernel.dylib", "mach_msg2_internal"),
    ("libsystem_kernel.dylib", "mach_msg"),
    ("CoreFoundation", "__CFRunLoopServiceMachPort"),
    ("CoreFoundation", "__CFRunLoopRun"),
) + RUN_LOOP[-4:]

# The frames outside of `main`, of a concurrency task, and of a block on a queue.
PROCESS_START = (("dyld", "start"),)
TASK_START = (
    ("libswift_Concurrency.dylib", "swift::runJobInEstablishedExecutorContext(swift::Job*)"),
    ("libswift_Concurrency.dylib", "swift_job_runImpl(swift::Job*, swift::SerialExecutorRef)"),
    ("libdispatch.dylib", "_dispatch_root_queue_drain"),
    ("libdispatch.dylib", "_dispatch_worker_thread2"),
    ("libsystem_pthread.dylib", "_pthread_wqthread"),
    ("libsystem_pthread.dylib", "start_wqthread"),
)

QUEUE_START = (
    ("libdispatch.dylib", "_dispatch_client_callout"),
    ("libdispatch.dylib", "_dispatch_root_queue_drain"),
    ("libdispatch.dylib", "_dispatch_worker_thread2"),
    ("libsystem_pthread.dylib", "_pthread_wqthread"),
    ("libsystem_pthread.dylib", "start_wqthread"),
)

# A worker thread that waits for work, as most threads of a crash report do.
IDLE_WORKER = (
    ("libsystem_kernel.dylib", "__workq_kernreturn"),
    ("libsystem_pthread.dylib", "_pthread_wqthread"),
    ("libsystem_pthread.dylib", "start_wqthread"),
)

SYSTEM_IMAGES = (
    "dyld", "UIKitCore", "CoreFoundation", "GraphicsServices", "libdispatch.dylib",
    "libobjc.A.dylib", "libswiftCore.dylib", "libswift_Concurrency.dylib",
    "libsystem_kernel.dylib", "libsystem_platform.dylib", "libsystem_pthread.dylib",
)

# Swift array storage: object header of 16 bytes, count, capacity, then the elements.
ARRAY_COUNT, ARRAY_ELEMENTS = 16, 32


def provides(image: str, *names: str) -> Callable[[Behaviour], Behaviour]:
    def register(behaviour: Behaviour) -> Behaviour:
        for name in names:
            BEHAVIOURS[name] = (image, behaviour)
        return behaviour

    return register


def lacking(name: str) -> Behaviour:
    """Imported, but no scenario should call it."""

    def fail(machine: "Machine") -> None:
        raise NotImplementedError(f"{name} was called: give it a behaviour")

    return fail


@provides("UIKitCore", "_UIApplicationMain")
def run_application(machine: "Machine") -> int:
    """Enters the run loop, and delivers one tap or waits for one."""
    if machine.button is None:
        for image, function in reversed(WAITING[1:]):
            machine.push_system_call(image, function)
        machine.pc = machine.system_address(*WAITING[0])
        machine.stop("waiting")
        return 0
    for image, function in reversed(RUN_LOOP):
        machine.push_system_call(image, function)
    callback = machine.symbol("_orchard_button_tapped")
    machine.cpu.enter(callback, machine.calls[-1], machine.button)
    return callback


@provides("libswiftCore.dylib", "_swift_allocObject")
def allocate_object(machine: "Machine") -> None:
    metadata, size = machine.cpu.argument(0), machine.cpu.argument(1)
    machine.cpu.set_results(machine.new_object(metadata, size))


@provides("libswiftCore.dylib", "_swift_initStackObject", "_swift_initStaticObject")
def initialize_object(machine: "Machine") -> None:
    metadata, address = machine.cpu.argument(0), machine.cpu.argument(1)
    machine.cpu.uc.mem_write(address, struct.pack("<QQ", metadata, 3))
    machine.cpu.set_results(address)


@provides("libswiftCore.dylib", "_swift_retain", "_swift_release", "_swift_bridgeObjectRelease")
def count_reference(machine: "Machine") -> None:
    machine.cpu.set_results(machine.cpu.argument(0))


@provides("libswiftCore.dylib", "_swift_deallocClassInstance", "_swift_setDeallocating")
def release_memory(machine: "Machine") -> None:
    """Nothing is ever reused."""


@provides("libswiftCore.dylib", "_$sSaMa", "_swift_getTypeByMangledNameInContext2")
def array_metadata(machine: "Machine") -> None:
    machine.cpu.set_results(machine.data("array metadata"), 0)


@provides("libswiftCore.dylib", "_$ss27_allocateUninitializedArrayySayxG_BptBwlF")
def allocate_array(machine: "Machine") -> None:
    count = machine.cpu.argument(0)
    array = machine.new_object(machine.data("array storage"), ARRAY_ELEMENTS + 8 * count)
    machine.cpu.uc.mem_write(array + ARRAY_COUNT, struct.pack("<QQ", count, 2 * count))
    machine.cpu.set_results(array, array + ARRAY_ELEMENTS)


@provides("libswiftCore.dylib", "_$sSayxSicig")
def array_element(machine: "Machine") -> int | None:
    """`Array.subscript.getter` for elements of eight bytes; it traps where the real one does."""
    index, array = machine.cpu.indirect_arguments()
    count = struct.unpack("<Q", machine.cpu.uc.mem_read(array + ARRAY_COUNT, 8))[0]
    if index >= count:
        return stop_in_library(machine)
    element = bytes(machine.cpu.uc.mem_read(array + ARRAY_ELEMENTS + 8 * index, 8))
    machine.cpu.uc.mem_write(machine.cpu.indirect_result(), element)
    return None


ASSERTION_FAILURE = "_$ss17_assertionFailure__4file4line5flagss5NeverOs12StaticStringV_A2HSus6UInt32VtF"


@provides("libswiftCore.dylib", ASSERTION_FAILURE)
def stop_in_library(machine: "Machine") -> None:
    machine.stop(machine.cpu.trap_name)


@provides("libswift_Concurrency.dylib", "_swift_task_alloc")
def allocate_in_task(machine: "Machine") -> None:
    machine.cpu.set_results(machine.allocate(machine.cpu.argument(0)))


@provides("libswift_Concurrency.dylib", "_swift_task_dealloc")
def release_in_task(machine: "Machine") -> None:
    """Nothing is ever reused."""


@provides("libswift_Concurrency.dylib", "_swift_task_switch")
def switch_executor(machine: "Machine") -> int:
    """There is one thread, so the task continues at once."""
    return machine.cpu.argument(0)


@provides("libobjc.A.dylib", "_objc_alloc_init", "_objc_alloc")
def allocate_objc_object(machine: "Machine") -> None:
    machine.cpu.set_results(machine.new_object(machine.cpu.argument(0), 64))


@provides("libobjc.A.dylib", "_objc_msgSend")
def send_message(machine: "Machine") -> int:
    """Calls the one instance method with this selector."""
    selector = machine.string(machine.cpu.argument(1))
    return machine.symbol_ending(f" {selector}]", starting="-[")


@provides("libsystem_platform.dylib", "_memset")
def fill_memory(machine: "Machine") -> None:
    address, byte, count = (machine.cpu.argument(index) for index in range(3))
    machine.cpu.uc.mem_write(address, bytes([byte & 0xFF]) * count)
    machine.cpu.set_results(address)


@provides("libsystem_kernel.dylib", "_write")
def write_file(machine: "Machine") -> None:
    """Slow like a system call, so that samples find it."""
    machine.pass_time(900)
    machine.cpu.set_results(machine.cpu.argument(2))


@provides("libsystem_kernel.dylib", "_ok_log")
def write_log(machine: "Machine") -> None:
    machine.cpu.set_results(0)

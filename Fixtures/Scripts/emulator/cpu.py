"""The differences between processors: registers, and the forms of calls, returns and traps."""

import struct
from typing import Protocol

from unicorn import UC_ARCH_ARM64, UC_ARCH_X86, UC_MODE_64, UC_MODE_ARM, Uc
from unicorn import arm64_const as a64
from unicorn import x86_const as x86

CALL, RETURN, TRAP, OTHER = "call", "return", "trap", "other"


class Cpu(Protocol):
    uc: Uc
    return_instruction: bytes
    trap_name: str

    def kind(self, address: int, size: int) -> str: ...
    def argument(self, index: int) -> int: ...
    def set_results(self, *values: int) -> None: ...
    def return_address(self) -> int: ...
    def enter(self, address: int, return_address: int, *arguments: int) -> None: ...
    def set_stack(self, top: int) -> None: ...
    def set_async_context(self, address: int) -> None: ...
    def jump(self, address: int) -> None: ...


class Arm64:
    return_instruction = b"\xc0\x03\x5f\xd6"
    trap_name = "EXC_BREAKPOINT"

    def __init__(self) -> None:
        self.uc = Uc(UC_ARCH_ARM64, UC_MODE_ARM)
        self.uc.reg_write(a64.UC_ARM64_REG_CPACR_EL1, 3 << 20)  # allow SIMD registers

    def kind(self, address: int, size: int) -> str:
        word = struct.unpack("<I", self.uc.mem_read(address, 4))[0]
        if word & 0xFC000000 == 0x94000000 or word & 0xFFFFFC1F == 0xD63F0000:  # bl, blr
            return CALL
        if word == 0xD65F03C0:  # ret
            return RETURN
        return TRAP if word & 0xFFE0001F == 0xD4200000 else OTHER  # brk

    def argument(self, index: int) -> int:
        return self.uc.reg_read(a64.UC_ARM64_REG_X0 + index)

    def set_results(self, *values: int) -> None:
        for index, value in enumerate(values):
            self.uc.reg_write(a64.UC_ARM64_REG_X0 + index, value)

    def indirect_result(self) -> int:
        return self.uc.reg_read(a64.UC_ARM64_REG_X8)

    def indirect_arguments(self) -> tuple[int, int]:
        """The first two arguments of a Swift function that returns its result in memory."""
        return self.argument(0), self.argument(1)

    def return_address(self) -> int:
        return self.uc.reg_read(a64.UC_ARM64_REG_LR)

    def enter(self, address: int, return_address: int, *arguments: int) -> None:
        self.set_results(*arguments)
        self.uc.reg_write(a64.UC_ARM64_REG_LR, return_address)
        self.jump(address)

    def set_stack(self, top: int) -> None:
        self.uc.reg_write(a64.UC_ARM64_REG_SP, top)
        self.uc.reg_write(a64.UC_ARM64_REG_X29, 0)

    def set_async_context(self, address: int) -> None:
        self.uc.reg_write(a64.UC_ARM64_REG_X22, address)

    def jump(self, address: int) -> None:
        self.uc.reg_write(a64.UC_ARM64_REG_PC, address)


class X86:
    return_instruction = b"\xc3"
    trap_name = "EXC_BAD_INSTRUCTION"
    _arguments = (
        x86.UC_X86_REG_RDI, x86.UC_X86_REG_RSI, x86.UC_X86_REG_RDX,
        x86.UC_X86_REG_RCX, x86.UC_X86_REG_R8, x86.UC_X86_REG_R9,
    )
    _results = (x86.UC_X86_REG_RAX, x86.UC_X86_REG_RDX)

    def __init__(self) -> None:
        self.uc = Uc(UC_ARCH_X86, UC_MODE_64)

    def kind(self, address: int, size: int) -> str:
        # The size of an instruction that the emulator cannot execute, such as `ud2`, is invalid.
        code = bytes(self.uc.mem_read(address, min(size, 4)))
        if 0x40 <= code[0] <= 0x4F:  # REX prefix
            code = code[1:]
        if code[0] == 0xE8 or (code[0] == 0xFF and code[1] >> 3 & 7 == 2):
            return CALL
        if code[0] == 0xC3:
            return RETURN
        return TRAP if code[:2] == b"\x0f\x0b" else OTHER  # ud2

    def argument(self, index: int) -> int:
        return self.uc.reg_read(self._arguments[index])

    def set_results(self, *values: int) -> None:
        for register, value in zip(self._results, values, strict=False):
            self.uc.reg_write(register, value)

    def indirect_result(self) -> int:
        return self.uc.reg_read(x86.UC_X86_REG_RAX)

    def indirect_arguments(self) -> tuple[int, int]:
        return self.argument(0), self.argument(1)

    def return_address(self) -> int:
        stack = self.uc.reg_read(x86.UC_X86_REG_RSP)
        return struct.unpack("<Q", self.uc.mem_read(stack, 8))[0]

    def enter(self, address: int, return_address: int, *arguments: int) -> None:
        for register, value in zip(self._arguments, arguments, strict=False):
            self.uc.reg_write(register, value)
        # A call leaves the stack eight bytes off its alignment, whatever it was before.
        stack = (self.uc.reg_read(x86.UC_X86_REG_RSP) & ~0xF) - 8
        self.uc.mem_write(stack, struct.pack("<Q", return_address))
        self.uc.reg_write(x86.UC_X86_REG_RSP, stack)
        self.jump(address)

    def set_stack(self, top: int) -> None:
        self.uc.reg_write(x86.UC_X86_REG_RSP, top)
        self.uc.reg_write(x86.UC_X86_REG_RBP, 0)

    def set_async_context(self, address: int) -> None:
        self.uc.reg_write(x86.UC_X86_REG_R14, address)

    def jump(self, address: int) -> None:
        self.uc.reg_write(x86.UC_X86_REG_RIP, address)

"""Call-stack trees as MetricKit writes them, with the expected source frames."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from emulator.images import Frame
from emulator.system import IDLE_WORKER
from truth import TrueFrame, TrueStack

# Every sample of a system call ends in the kernel, in an image without a name.
KERNEL = Frame("", "9C4F1A77-1D5C-3B0E-8A46-5D2E0C7F9B31", 0xFFFFFFF007004000,
               0xFFFFFFF0072B1A4C, False, None)


@dataclass
class Node:
    """One frame of a tree.

    `offset` is what MetricKit means to report, and `lookup` the offset within the instruction that
    was executing: a caller's address is the one that it returns to, so one less is inside its call.
    """

    true: TrueFrame
    offset: int
    lookup: int
    samples: int = 1
    children: list["Node"] = field(default_factory=list)
    is_duplicate: bool = False


@dataclass
class CallStack:
    roots: list[Node]
    is_attributed: bool | None = None

    def preorder(self) -> Iterator[Node]:
        pending = list(reversed(self.roots))
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


def linear(stack: TrueStack, is_attributed: bool) -> CallStack:
    """A thread of a crash: innermost first, with unchanged return addresses."""
    nodes = [
        Node(true, true.frame.offset, true.frame.offset - (0 if index == 0 else 1))
        for index, true in enumerate(stack)
    ]
    for node, caller in pairwise(nodes):
        node.children = [caller]
    return CallStack(nodes[:1], is_attributed)


def with_innermost_twice(stack: CallStack) -> CallStack:
    """Some reports of iOS 14 repeat the innermost frame."""
    first = stack.roots[0]
    second = replace(first, is_duplicate=True)
    return CallStack([replace(first, children=[second])], stack.is_attributed)


def idle_worker(system_frame: Callable[[str, str], Frame]) -> CallStack:
    """A thread without frames of the app."""
    return linear(tuple(TrueFrame(system_frame(*place)) for place in IDLE_WORKER), False)


def sampled(samples: list[TrueStack], is_attributed: bool | None, kernel: bool = True
            ) -> CallStack:
    """A hang or CPU exception: outermost first, samples with a common outer part merged.

    Here, and only here, MetricKit has already moved callers one byte back into their calls; the
    `address` beside the offset stays the return address.
    """
    roots: list[Node] = []
    for stack in samples:
        level = roots
        if kernel and stack[0].frame.image == "libsystem_kernel.dylib":
            stack = (TrueFrame(KERNEL), *stack)
        for index in reversed(range(len(stack))):
            node = merged(level, stack[index], 0 if index == 0 else 1)
            node.samples += 1
            level = node.children
    return CallStack(roots, is_attributed)


def merged(level: list[Node], true: TrueFrame, back: int) -> Node:
    """The node of `level` for this frame. A frame that was also seen innermost has two nodes."""
    offset = true.frame.offset - back
    for node in level:
        if (node.true.frame.address, node.offset) == (true.frame.address, offset):
            if node.true.chain != true.chain:
                raise ValueError(f"two truths about {true.frame}")
            return node
    node = Node(true, offset, offset, samples=0)
    level.append(node)
    return node

"""Makes call stacks in MetricKit's form from real ones of the sample app."""

import json
from pathlib import Path
from random import Random

from .places import FIXTURES, SYMBOLS

#: The build whose symbols are uploaded.
BUILD = "orchard-1.4.0-arm64-release-dwarf5"
BUILD_SYMBOLS = SYMBOLS / BUILD
#: The images of the app, whose offsets must be real. Those of the system have no symbols here.
APP_IMAGES = {"Orchard", "OrchardKit"}
#: The depth of the main thread's stack in a hang.
HANG_DEPTH = 64


class Stacks:
    """Generates stacks and trees, deterministic for a seed."""

    def __init__(self, seed: int):
        self.random = Random(seed)
        self.main, self.others = _chains()
        chains = self.main + self.others
        self.frames = {}
        for frame in (frame for chain in chains for frame in chain):
            self.frames.setdefault(frame["binaryName"], []).append(frame)

    def crash(self, size: int) -> str:
        """Returns a tree with a crashed main thread, and other threads up to `size` bytes."""
        stacks = [self._stack(self.random.choice(self.main), is_crashed=True)]
        length = len(_compact(stacks[0]))
        while length < size:
            stacks.append(self._stack(self.random.choice(self.others), is_crashed=False))
            length += len(_compact(stacks[-1]))
        return _tree(stacks)

    def hang(self, size: int) -> str:
        """Returns a sampled main thread, with a tree of about `size` bytes."""
        roots, length = [], 0
        while length < size:
            roots.append(self._sampled(32, 0))
            length += len(_compact(roots[-1]))
        return _tree([{"threadAttributed": True, "callStackRootFrames": roots}])

    def _stack(self, chain: list[dict], is_crashed: bool) -> dict:
        frames = [self._varied(frame) for frame in chain]
        for outer, inner in zip(frames, frames[1:]):
            outer["subFrames"] = [inner]
        return {"threadAttributed": is_crashed, "callStackRootFrames": frames[:1]}

    def _varied(self, frame: dict) -> dict:
        """Returns the frame, or another one of its image."""
        if self.random.random() < 0.5:
            frame = self.random.choice(self.frames[frame["binaryName"]])
        return dict(frame)

    def _sampled(self, samples: int, depth: int) -> dict:
        """Returns a frame with its callees. Usually one callee gets all samples."""
        of_app = depth > 12 and self.random.random() < 0.6
        names = [name for name in self.frames if (name in APP_IMAGES) == of_app]
        frame = dict(self.random.choice(self.frames[self.random.choice(names)]))
        frame["sampleCount"] = samples
        if depth < HANG_DEPTH:
            splits = samples > 1 and self.random.randrange(8) == 0
            first = self.random.randrange(1, samples) if splits else samples
            shares = [share for share in (first, samples - first) if share]
            frame["subFrames"] = [self._sampled(share, depth + 1) for share in shares]
        return frame


def _chains() -> tuple[list[list[dict]], list[list[dict]]]:
    """Returns the stacks of all crashes of the build: of crashed threads, and of others."""
    main, others = [], []
    for path in sorted((FIXTURES / BUILD).glob("*.crash.json")):
        for stack in _call_stacks(path):
            chain = _chain(stack["callStackRootFrames"])
            (main if stack["threadAttributed"] else others).append(chain)
    return main, others


def _call_stacks(path: Path) -> list[dict]:
    diagnostic = json.loads(path.read_text())["crashDiagnostics"][0]
    return diagnostic["callStackTree"]["callStacks"]


def _chain(frames: list[dict]) -> list[dict]:
    chain = []
    while frames:
        chain.append({key: value for key, value in frames[0].items() if key != "subFrames"})
        frames = frames[0].get("subFrames")
    return chain


def _tree(stacks: list[dict]) -> str:
    return _compact({"callStackPerThread": True, "callStacks": stacks})


def _compact(value: dict) -> str:
    return json.dumps(value, separators=(",", ":"))

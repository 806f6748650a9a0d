"""MetricKit's JSON: payloads, diagnostics and trees, up to iOS 26 and from iOS 27 on."""

import random
from typing import Any

from builds import VERSION, Build
from emulator.machine import Stop
from trees import CallStack, Node

Json = dict[str, Any]

BUILD_NUMBER = "217"
BUNDLE = "com.example.Orchard"
PERIOD = {"timeStampBegin": "2026-11-20 08:00:00", "timeStampEnd": "2026-11-20 09:00:00"}

# Mach exception, its code, signal, the signal's name
EXCEPTIONS = {
    "EXC_BAD_ACCESS": (1, 1, 11, "SIGSEGV", "Segmentation fault: 11"),
    "EXC_BAD_INSTRUCTION": (2, 13, 4, "SIGILL", "Illegal instruction: 4"),
    "EXC_BREAKPOINT": (6, 1, 5, "SIGTRAP", "Trace/BPT trap: 5"),
}


def shuffled(value: Any, seed: random.Random) -> Any:
    """Shuffles keys: Apple writes them in no particular order, and readers must not rely on one."""
    if isinstance(value, dict):
        items = [(key, shuffled(inner, seed)) for key, inner in value.items()]
        seed.shuffle(items)
        return dict(items)
    if isinstance(value, list):
        return [shuffled(inner, seed) for inner in value]
    return value


def architecture(build: Build) -> str:
    return "arm64e" if build.arch == "arm64" else build.arch


def metadata(build: Build, ios14: bool = False) -> Json:
    common = {
        "appVersion": VERSION,
        "appBuildVersion": BUILD_NUMBER,
        "deviceType": "iPhone15,2" if not ios14 else "iPhone11,8",
        "osVersion": "iPhone OS 18.1 (22B83)" if not ios14 else "iPhone OS 14.0.1 (18A393)",
        "platformArchitecture": architecture(build),
        "regionFormat": "DE",
    }
    if ios14:
        return common
    return common | {
        "bundleIdentifier": BUNDLE,
        "isTestFlightApp": False,
        "lowPowerModeEnabled": False,
        "pid": 4711,
    }


def crash_metadata(stop: Stop) -> Json:
    exception, code, signal, _, text = EXCEPTIONS[stop.reason]
    fields: Json = {
        "exceptionType": exception,
        "exceptionCode": code,
        "signal": signal,
        "terminationReason": f"Namespace SIGNAL, Code {signal} {text}",
    }
    if stop.reason == "EXC_BAD_ACCESS":
        fields["virtualMemoryRegionInfo"] = (
            f"{stop.address:#x} is not in any region.  Bytes before following region: "
            f"{0x104A2C000 - stop.address}"
        )
    return fields


def frame(node: Node, offset_is_load: bool) -> Json:
    place = node.true.frame
    fields: Json = {
        "binaryUUID": place.uuid,
        "offsetIntoBinaryTextSegment": place.load if offset_is_load else node.offset,
        "sampleCount": node.samples,
        "address": place.address,
    }
    if place.image:
        fields["binaryName"] = place.image
    if node.children:
        fields["subFrames"] = [frame(child, offset_is_load) for child in node.children]
    return fields


def tree(stacks: list[CallStack], per_thread: bool = True, offset_is_load: bool = False) -> Json:
    rendered: list[Json] = []
    for stack in stacks:
        roots = [frame(root, offset_is_load) for root in stack.roots]
        entry: Json = {"callStackRootFrames": roots}
        if stack.is_attributed is not None:
            entry["threadAttributed"] = stack.is_attributed
        rendered.append(entry)
    return {"callStackPerThread": per_thread, "callStacks": rendered}


def diagnostic(call_stack_tree: Json, fields: Json) -> Json:
    return {"version": "1.0.0", "callStackTree": call_stack_tree, "diagnosticMetaData": fields}


def payload(**diagnostics: Json) -> Json:
    return PERIOD | {f"{kind}Diagnostics": [one] for kind, one in diagnostics.items()}


def frame_27(node: Node) -> Json:
    place = node.true.frame
    return {
        "binaryUUID": place.uuid,
        "offsetIntoBinaryTextSegment": node.offset,
        "address": place.address,
        "sampleCount": node.samples,
        "subFrames": [frame_27(child) for child in node.children],
    }


def tree_27(stacks: list[CallStack], names_as_object: bool = False) -> Json:
    """The tree of iOS 27, whose frames have no names: `binaryInfo` has them, by UUID.

    Swift writes a dictionary with keys of its own type as an array of keys and values by turns.
    """
    images = {
        node.true.frame.uuid: {"uuid": node.true.frame.uuid, "name": node.true.frame.image}
        for stack in stacks for node in stack.preorder() if node.true.frame.image
    }
    names = images if names_as_object else [part for item in images.items() for part in item]
    threads = [
        {"threadAttributed": stack.is_attributed, "rootFrames": [frame_27(r) for r in stack.roots]}
        for stack in stacks
    ]
    return {"callStackPerThread": True, "callStackThreads": threads, "binaryInfo": names}


def report_27(build: Build, tag: str, result: Json) -> Json:
    return {
        # The same period, in seconds since 2001.
        "timeRange": {"begin": 816_854_400, "end": 816_858_000},
        "environment": {
            "applicationVersion": VERSION,
            "applicationBuildVersion": BUILD_NUMBER,
            "bundleIdentifier": BUNDLE,
            "deviceType": "iPhone18,1",
            "isTestFlightApp": False,
            "lowPowerModeEnabled": False,
            "osVersion": {"platform": "iOS", "number": "27.0", "buildNumber": "24A332"},
            "pid": 4711,
            "platformArchitecture": architecture(build),
            "regionFormat": "DE",
        },
        tag: result,
    }

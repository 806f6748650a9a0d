"""The crash files on a device: `.ips`, and the text format before it."""

import json
import uuid
from typing import Any

from apple_payloads import BUILD_NUMBER, BUNDLE, EXCEPTIONS
from builds import VERSION, Build
from emulator.images import LIBRARY_DISTANCE, SYSTEM_TEXT_SIZE, Frame
from emulator.machine import Stop
from trees import CallStack

Json = dict[str, Any]

APP = "/private/var/containers/Bundle/Application/6F1B8A52-4B0E-4C57-9E4C-0B1F6C1B7D20/Orchard.app"
TIME = "2026-11-20 08:31:06"

# The folders of images that are not system frameworks.
FOLDERS = {"dyld": "/usr/lib", "libswiftCore.dylib": "/usr/lib/swift",
           "libswift_Concurrency.dylib": "/usr/lib/swift", "libobjc.A.dylib": "/usr/lib"}
PATHS = {"Orchard": f"{APP}/Orchard",
         "OrchardKit": f"{APP}/Frameworks/OrchardKit.framework/OrchardKit"}


def path_of(image: str) -> str:
    if image in PATHS:
        return PATHS[image]
    if image.startswith("lib") or image in FOLDERS:
        return f"{FOLDERS.get(image, '/usr/lib/system')}/{image}"
    return f"/System/Library/Frameworks/{image}.framework/{image}"


def frames_of(stack: CallStack) -> list[Frame]:
    return [node.true.frame for node in stack.preorder()]


def images_of(stacks: list[CallStack]) -> list[Frame]:
    """One frame per image, in the order of their addresses."""
    found = {frame.uuid: frame for stack in stacks for frame in frames_of(stack)}
    return sorted(found.values(), key=lambda frame: frame.load)


def size_of(frame: Frame) -> int:
    return LIBRARY_DISTANCE // 64 if frame.in_app else SYSTEM_TEXT_SIZE


def incident(build: Build, name: str) -> str:
    address = f"https://orchard.example/{build.name}/{name}"
    return str(uuid.uuid5(uuid.NAMESPACE_URL, address)).upper()


def ips(build: Build, name: str, stop: Stop, stacks: list[CallStack]) -> str:
    """A line of JSON, followed by a JSON document."""
    images = images_of(stacks)
    index_of = {frame.uuid: index for index, frame in enumerate(images)}
    _, code, signal, signal_name, reason = EXCEPTIONS[stop.reason]
    main_image = next(frame for frame in images if frame.image == "Orchard")
    header = {
        "app_name": "Orchard", "timestamp": f"{TIME}.00 +0100", "app_version": VERSION,
        "slice_uuid": main_image.uuid.lower(), "build_version": BUILD_NUMBER, "platform": 2,
        "bundleID": BUNDLE, "share_with_app_devs": 0, "is_first_party": 0, "bug_type": "309",
        "os_version": "iPhone OS 18.1 (22B83)", "roots_installed": 0, "name": "Orchard",
        "incident_id": incident(build, name),
    }
    threads: list[Json] = []
    for number, stack in enumerate(stacks):
        thread: Json = {"id": 5798 + number,
                        "frames": [ips_frame(frame, index_of) for frame in frames_of(stack)]}
        if number == 0:
            thread["queue"] = "com.apple.main-thread"
        if stack.is_attributed:
            thread["triggered"] = True
        threads.append(thread)
    body = {
        "uptime": 68000, "procRole": "Foreground", "version": 2, "userID": 501,
        "modelCode": "iPhone15,2", "cpuType": "ARM-64", "bug_type": "309", "pid": 4711,
        "osVersion": {"isEmbedded": True, "train": "iPhone OS 18.1", "releaseType": "User",
                      "build": "22B83"},
        "captureTime": f"{TIME}.8000 +0100", "incident": header["incident_id"],
        "procName": "Orchard", "procPath": path_of("Orchard"),
        "bundleInfo": {"CFBundleShortVersionString": VERSION, "CFBundleVersion": BUILD_NUMBER,
                       "CFBundleIdentifier": BUNDLE},
        "parentProc": "launchd", "parentPid": 1,
        "exception": {"codes": f"{code:#018x}, {stop.address:#018x}",
                      "rawCodes": [code, stop.address], "type": stop.reason,
                      "signal": signal_name},
        "termination": {"flags": 0, "code": signal, "namespace": "SIGNAL", "indicator": reason,
                        "byProc": "exc handler", "byPid": 4711},
        "faultingThread": next(n for n, stack in enumerate(stacks) if stack.is_attributed),
        "threads": threads,
        "usedImages": [
            {"source": "P", "arch": build.arch if frame.in_app else "arm64e", "base": frame.load,
             "size": size_of(frame), "uuid": frame.uuid.lower(), "path": path_of(frame.image),
             "name": frame.image}
            for frame in images
        ],
    }
    return json.dumps(header) + "\n" + json.dumps(body, indent=2) + "\n"


def ips_frame(frame: Frame, index_of: dict[str, int]) -> Json:
    fields: Json = {"imageOffset": frame.offset, "imageIndex": index_of[frame.uuid]}
    if not frame.in_app:
        # Devices have the names of system functions.
        fields |= {"symbol": frame.symbol, "symbolLocation": frame.offset % 16}
    return fields


def text(build: Build, name: str, stop: Stop, stacks: list[CallStack]) -> str:
    """The text format of iOS 14 and earlier, and of tools that still write it."""
    _, code, signal, signal_name, reason = EXCEPTIONS[stop.reason]
    crashed = next(number for number, stack in enumerate(stacks) if stack.is_attributed)
    lines = [
        f"Incident Identifier: {incident(build, name)}",
        "Hardware Model:      iPhone15,2",
        "Process:             Orchard [4711]",
        f"Path:                {path_of('Orchard')}",
        f"Identifier:          {BUNDLE}",
        f"Version:             {VERSION} ({BUILD_NUMBER})",
        "Code Type:           ARM-64 (Native)",
        "Role:                Foreground",
        "Parent Process:      launchd [1]",
        "",
        f"Date/Time:           {TIME}.8000 +0100",
        "OS Version:          iPhone OS 18.1 (22B83)",
        "Report Version:      104",
        "",
        f"Exception Type:  {stop.reason} ({signal_name})",
        f"Exception Codes: {code:#018x}, {stop.address:#018x}",
        f"Termination Reason: SIGNAL {signal} {reason}",
        f"Triggered by Thread:  {crashed}",
        "",
    ]
    for number, stack in enumerate(stacks):
        lines.append(f"Thread {number}{' Crashed' if stack.is_attributed else ''}:")
        lines += [text_line(index, frame) for index, frame in enumerate(frames_of(stack))]
        lines.append("")
    lines.append("Binary Images:")
    for frame in images_of(stacks):
        end, short = frame.load + size_of(frame) - 1, frame.uuid.replace("-", "").lower()
        arch = build.arch if frame.in_app else "arm64e"
        lines.append(f"{frame.load:#18x} - {end:#18x} {frame.image} {arch}  <{short}> "
                     f"{path_of(frame.image)}")
    return "\n".join([*lines, "", "EOF", ""])


def text_line(index: int, frame: Frame) -> str:
    place = (f"{frame.load:#x} + {frame.offset}" if frame.in_app
             else f"{frame.symbol} + {frame.offset % 16}")
    return f"{index:<4}{frame.image:<30}\t{frame.address:#018x} {place}"

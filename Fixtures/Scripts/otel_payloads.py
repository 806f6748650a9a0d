"""The output of OpenTelemetry's MetricKit instrumentation: a flat tree in a log record."""

import json
from typing import Any

from apple_payloads import BUNDLE, EXCEPTIONS, VERSION, Json
from emulator.machine import Stop
from trees import CallStack

# The instrumentation's descriptions of the exceptions in the fixtures.
DESCRIPTIONS = {
    "EXC_BAD_ACCESS": "Could not access memory",
    "EXC_BAD_INSTRUCTION": "Instruction failed",
    "EXC_BREAKPOINT": "Trace, breakpoint, etc.",
}

# The end of the period of the payloads, 2026-11-20 09:00 UTC.
TIME = "1795165200000000000"


def flat_tree(stacks: list[CallStack], per_thread: bool = True) -> Json:
    """All frames of a thread in one list, in pre-order: without addresses, counts and branches."""
    rendered: list[Json] = []
    for stack in stacks:
        frames = [
            {
                "binaryName": node.true.frame.image,
                "binaryUUID": node.true.frame.uuid,
                "offsetAddress": node.offset,
            }
            for node in stack.preorder()
        ]
        entry: Json = {"callStackFrames": frames}
        if stack.is_attributed is not None:
            entry["threadAttributed"] = stack.is_attributed
        rendered.append(entry)
    return {"callStackPerThread": per_thread, "callStacks": rendered}


def value(content: Any) -> Json:
    match content:
        case bool():
            return {"boolValue": content}
        case int():
            return {"intValue": str(content)}  # 64-bit integers are strings in OTLP's JSON
        case float():
            return {"doubleValue": content}
    return {"stringValue": content}


def attributes(fields: Json) -> list[Json]:
    return [{"key": key, "value": value(content)} for key, content in fields.items()]


def crash_fields(stop: Stop) -> Json:
    exception, code, signal, signal_name, _ = EXCEPTIONS[stop.reason]
    prefix = "metrickit.diagnostic.crash.exception"
    return {
        "exception.type": stop.reason,
        "exception.message": DESCRIPTIONS[stop.reason],
        f"{prefix}.code": code,
        f"{prefix}.mach_exception.type": exception,
        f"{prefix}.mach_exception.name": stop.reason,
        f"{prefix}.mach_exception.description": DESCRIPTIONS[stop.reason],
        f"{prefix}.signal": signal,
        f"{prefix}.signal.name": signal_name,
        f"{prefix}.termination_reason": f"Namespace SIGNAL, Code {signal:#x}",
    }


def export_request(kind: str, stack_trace: Json, fields: Json) -> Json:
    """An OTLP log export with one diagnostic."""
    name = f"metrickit.diagnostic.{kind}"
    stack_text = json.dumps(stack_trace, separators=(",", ":"))
    record = {
        "timeUnixNano": TIME,
        "observedTimeUnixNano": TIME,
        "eventName": name,
        "attributes": attributes({"name": name, "exception.stacktrace": stack_text} | fields),
    }
    resource = {
        "service.name": "Orchard",
        "service.version": f"{VERSION} (217)",
        "app.bundle.executable": BUNDLE.rpartition(".")[2],
        "os.name": "iOS",
        "os.version": "18.1.0",
        "telemetry.sdk.language": "swift",
        "telemetry.sdk.name": "opentelemetry",
    }
    scope = {"name": "MetricKit", "version": "0.0.1"}
    return {
        "resourceLogs": [
            {
                "resource": {"attributes": attributes(resource)},
                "scopeLogs": [{"scope": scope, "logRecords": [record]}],
            }
        ]
    }

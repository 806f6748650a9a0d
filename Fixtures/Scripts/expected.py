"""The expected result of each diagnostic."""

import json
from typing import Any

from trees import CallStack
from truth import SourceFrame

Json = dict[str, Any]


def source_frame(source: SourceFrame) -> Json:
    fields: Json = {
        "function": source.function,
        "file": source.place.file if source.place else None,
        "path": source.place.path if source.place else None,
        "line": source.place.line if source.place else 0,
        "inlined": source.inlined,
    }
    if source.is_symbol_only:
        fields["symbol_only"] = True
    elif source.place is None:
        fields["unmarked"] = True
    if source.lost_because:
        fields["lost"] = source.lost_because
    if source.alternatives:
        fields["alternatives"] = [source_frame(other) for other in source.alternatives]
    return fields


def document(entries: list[Json]) -> str:
    """The text of an expected result: one entry per line, so that changes are easy to review."""
    lines = ",\n".join(json.dumps(entry) for entry in entries)
    return '{"frames": [\n' + lines + "\n]}\n"


def frames(stacks: list[CallStack], diagnostic: str | None = None) -> list[Json]:
    found: list[Json] = []
    for thread, stack in enumerate(stacks):
        for index, node in enumerate(stack.preorder()):
            if not node.true.frame.in_app:
                continue
            fields: Json = {"diagnostic": diagnostic} if diagnostic else {}
            fields |= {
                "thread": thread,
                "index": index,
                "image": node.true.frame.image,
                "uuid": node.true.frame.uuid,
                "offset": node.offset,
                "lookup": node.lookup,
                "samples": node.samples,
                "chain": [source_frame(source) for source in node.true.chain],
            }
            if node.is_duplicate:
                fields["duplicate"] = True
            found.append(fields)
    return found

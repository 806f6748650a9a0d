"""show.py FILE [UID [REVISION]]: prints the records that the backend received, grouped.

With UID it prints that one record.
"""

import collections
import json
import re
import sys

# A frame of a sampled tree, which starts with its number of samples in the outermost frames.
SAMPLES = re.compile(r"\d+  0x|\d+ +\S+ *\(in ")
# A frame with a source position.
SOURCE = re.compile(r"\(\S+:\d+")


def stack(record, count):
    lines = record["attributes"].get("exception.stacktrace", "").splitlines()
    # Without the headings of threads and of trees.
    frames = [line for line in lines if line[:1].isdigit() and not SAMPLES.match(line)]
    if not frames:
        frames = [line for line in lines if SOURCE.search(line)]
    return ["    " + line[:110] for line in frames[:count]]


def title(record):
    attributes = record["attributes"]
    kind = record["event"].rsplit(".", 1)[-1] or "log record"
    name = attributes.get("exception.type") or attributes.get("exception.message") or kind
    return f"{kind}: {name} in {attributes.get('symbolist.culprit', '?')}"


def status(record):
    return record["attributes"].get("symbolist.status", "unchanged")


def summary(record):
    attributes = record["attributes"]
    done = attributes.get("symbolist.frames.symbolicated", 0)
    total = attributes.get("symbolist.frames.total", 0)
    return f"{status(record)}, {done} of {total} frames"


def way(record):
    # Requests and devices' payloads are sent unchanged, without our attribute.
    return record["attributes"].get("demo.way", "unchanged")


def counts(what, records):
    found = collections.Counter(what(record) for record in records)
    return ", ".join(f"{count} {name}" for name, count in sorted(found.items()))


def main(path, uid=None, revision="1"):
    with open(path, encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    if uid:
        for record in records:
            attributes = record["attributes"]
            if (attributes.get("log.record.uid"), str(attributes.get("symbolist.revision"))) \
                    != (uid, revision):
                continue
            print(f"log.record.uid {uid}, symbolist.revision {revision}")
            print(f"  {title(record)}\n  {summary(record)}")
            print("\n".join(stack(record, 6)))
        return
    groups = collections.defaultdict(list)
    for record in records:
        groups[title(record)].append(record)
    for name, members in sorted(groups.items()):
        print(f"{name}\n  {len(members)} received ({counts(way, members)}): {counts(status, members)}")
        print("\n".join(stack(members[0], 3)))
    print(f"\n{len(records)} records received: {counts(status, records)}")


main(*sys.argv[1:])

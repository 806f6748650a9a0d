"""Other people's readers of Mozilla's protocols.

    mozilla.py signature URL STACK    the crash signature that fx-crash-sig makes of a stack with symbols of URL
    mozilla.py symbols FILE OFFSET…   the functions and lines that `symbolic` finds in a Breakpad symbol file

Prints JSON.
"""

import json
import sys


def signature(url, path):
    from fx_crash_sig.crash_processor import CrashProcessor
    from fx_crash_sig.symbolicate import Symbolicator

    with open(path) as file:
        stack = json.load(file)
    symbolicated = Symbolicator(api_url=url, verbose=True).symbolicate(stack)
    made = CrashProcessor(verbose=False).get_signature_from_symbolicated(symbolicated)
    return {"signature": made.signature, "frames": symbolicated["threads"][0]["frames"]}


def symbols(path, *offsets):
    from symbolic.debuginfo import Archive

    (found,) = Archive.open(path).iter_objects()
    cache = found.make_symcache()
    return {
        "id": found.debug_id, "arch": found.arch, "format": found.file_format,
        "functions": [
            [
                {"symbol": place.symbol, "line": place.line, "path": place.full_path}
                for place in cache.lookup(int(offset, 0))
            ]
            for offset in offsets
        ],
    }


print(json.dumps({"signature": signature, "symbols": symbols}[sys.argv[1]](*sys.argv[2:])))

"""Prints links to pages that are worth a look.

Arguments: the address of the service.
"""
import json
import sys
import urllib.request

address = sys.argv[1]


def newest(query):
    with urllib.request.urlopen(f"{address}/v1/diagnostics?limit=1&{query}") as response:
        found = json.load(response)["diagnostics"]
    return found[0]["id"] if found else None


print(f"{address}/")
for words, query in [
    ("a crash that became readable", "kind=crash&status=symbolicated"),
    ("a hang as a flame graph", "kind=hang&status=symbolicated"),
]:
    uid = newest(query)
    if uid:
        print(f"{address}/d/{uid}  {words}")
print(f"{address}/missing  what is missing")

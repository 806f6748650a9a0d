"""Opens pages in Chromium with an empty cache, and prints the time to the first paint of each as JSON, in milliseconds.

Arguments: the address of the service, then paths.
"""
import json
import os
import sys

from playwright.sync_api import sync_playwright

PAINT = """() => new Promise((resolve) => {
    new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime))
        .observe({ type: "paint", buffered: true });
})"""


def main():
    base, *paths = sys.argv[1:]
    times = {}
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for path in paths:
            context = browser.new_context()
            page = context.new_page()
            page.goto(base + path)
            times[path] = page.evaluate(PAINT)
            context.close()
        browser.close()
    print(json.dumps(times))


main()

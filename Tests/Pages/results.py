"""The results of a drop, over the page that it was dropped on: debug files, reports with links, and files that are not read.

Arguments: the address of the service, a report, a debug file, the architecture of the debug file.
"""
import pathlib
import sys
import tempfile

from drop_event import drop
from visit import Site, browse


def main(browser):
    base, report, symbols, architecture = sys.argv[1:]
    results = ["indexed", "duplicate", "duplicate"]
    for mode, status in zip(["light", "dark", "narrow"], results):
        site = Site(browser, base, mode)
        page = site.page
        site.open("/keys")
        panel = page.locator(".dropped")
        with tempfile.TemporaryDirectory() as folder:
            notes = pathlib.Path(folder) / "<b>notes\u202etxt.md"
            notes.write_text("some notes")
            drop(page, report, symbols, str(notes))
            panel.wait_for(timeout=60_000)
        assert page.url.endswith("/keys"), page.url
        items = panel.locator("li")
        texts = {
            name: " ".join(items.filter(has_text=name).all_inner_texts())
            for name in [pathlib.Path(symbols).name, pathlib.Path(report).name, "<b>notes"]}
        assert items.count() == 3, texts
        first, second, third = texts.values()
        assert architecture in first and status in first, first
        assert "report" in second, second
        assert "not read" in third and "neither a report nor symbols" in third, third
        assert "\u202e" not in third, ascii(third)
        site.check("results")
        panel.get_by_role("button", name="Close").click()
        assert panel.count() == 0, f"{mode}: still there after it is closed"
        # Another drop, with a link to the report.
        drop(page, report, symbols)
        panel.locator("a").click()
        page.wait_for_url("**/r/*report=0")
        assert page.locator(".dropped").count() == 0, f"{mode}: on another page"
        site.context.close()


browse(main)

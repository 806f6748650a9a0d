"""The results of a drop, over the page that it was dropped on: debug files, reports with links, and files that are not read.

Arguments: the address of the service, a report, a debug file, the architecture of the debug file.
"""
import pathlib
import sys
import tempfile

from drop_event import drop
from visit import Site, browse


# Keeps what is shown of the progress of a drop, and what is announced of it.
RECORD = """() => {
    window.shown = new Set();
    window.announced = new Set();
    new MutationObserver(() => {
        const status = document.getElementById("status");
        window.shown.add(status.querySelector("[aria-hidden]")?.textContent);
        window.announced.add(status.querySelector(".visually-hidden")?.textContent);
    }).observe(document.getElementById("status"), { childList: true, subtree: true, characterData: true });
}"""


def progress(browser, base):
    """The progress of a drop is shown all the time, and announced at each quarter."""
    site = Site(browser, base, "light")
    page = site.page
    site.open("/keys")
    page.evaluate(RECORD)
    network = site.context.new_cdp_session(page)
    network.send("Network.enable")
    network.send("Network.emulateNetworkConditions", {
        "offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": 1_500_000})
    with tempfile.TemporaryDirectory() as folder:
        notes = pathlib.Path(folder) / "notes.txt"
        notes.write_text("some notes\n" * 400_000)
        drop(page, str(notes))
        page.locator(".dropped").wait_for(timeout=60_000)
    shown, announced = (page.evaluate(f"[...window.{name}].filter(Boolean)") for name in ["shown", "announced"])
    assert len(shown) > 8, shown
    assert 1 < len(announced) <= 5, announced
    assert all("% of" in text for text in announced), announced
    site.context.close()


def main(browser):
    base, report, symbols, architecture = sys.argv[1:]
    results = ["indexed", "duplicate", "duplicate"]
    progress(browser, base)
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

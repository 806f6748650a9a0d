"""A real drop of a report, which becomes readable when the folder of its dSYM is dropped on it, and not by a dSYM of
another build.

Arguments: the address of the service, a report, a folder with symbols, a function of the report, the UUID of its image,
a debug file of another build.
"""
import sys
import time

from drop_event import drop
from visit import Site, browse


# Counts the bars that show how much of a drop was sent, also beyond a reload.
COUNT_BARS = """() => new MutationObserver(() => {
    const bar = document.querySelector("#status progress");
    if (bar) sessionStorage.setItem("bars", Number(sessionStorage.getItem("bars")) + 1);
}).observe(document.getElementById("status"), { childList: true })"""


def main(browser):
    base, report, symbols, function, wanted, other = sys.argv[1:]
    site = Site(browser, base, "light")
    page = site.page
    site.open("/missing")
    start = time.monotonic()
    drop(page, report)
    page.wait_for_url("**/r/*")
    page.wait_for_selector("text=no symbols for this image")
    print(f"shown {time.monotonic() - start:.1f} s after the drop")
    site.check("dropped-raw")
    page.evaluate(COUNT_BARS)
    drop(page, other)
    page.wait_for_selector("#status:has-text('is another build')", timeout=60_000)
    assert wanted in page.inner_text("#status"), page.inner_text("#status")
    result = page.inner_text(".dropped li")
    assert "indexed" in result and "arm64" in result, result
    assert page.evaluate("Number(sessionStorage.getItem('bars'))") > 0, "no bar while the drop was sent"
    page.wait_for_load_state("networkidle")
    site.check("dropped-other")
    start = time.monotonic()
    drop(page, symbols)
    # Without a click: the page reloads itself.
    page.wait_for_selector(f".name:has-text('{function}')", timeout=60_000)
    print(f"readable {time.monotonic() - start:.1f} s after the drop")
    assert "/r/" in page.url, page.url
    page.wait_for_load_state("networkidle")
    site.check("dropped-readable")
    # With the chooser instead of a drop.
    site.open("/drop")
    page.set_input_files("#files", report)
    page.click("form.drop button")
    page.wait_for_url("**/r/*")
    page.wait_for_selector(f".name:has-text('{function}')")
    page.click("text=Forget this report")
    page.wait_for_url("**/drop")
    site.check("drop")


browse(main)

"""Reading, copying and moving with keys alone.

Arguments: the address of the service, the paths of a crash and of a hang.
"""
import sys

from visit import Site, browse


def main(browser):
    base, crash, hang = sys.argv[1:]
    site = Site(browser, base, "light")
    site.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page = site.page
    site.open(crash)
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    page.keyboard.press("j")
    page.keyboard.press("j")
    assert page.evaluate("document.activeElement.closest('tr').id") == "t0f1"
    page.keyboard.press("k")
    assert page.evaluate("document.activeElement.closest('tr').id") == "t0f0"
    page.keyboard.press("c")
    page.wait_for_selector("#status:has-text('Copied')")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "share(_:among:)" in copied, copied
    page.keyboard.press("a")
    page.wait_for_url("**frames=all**")
    page.wait_for_selector(".pills")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "search"
    page.keyboard.type("jjj")
    assert page.input_value("#search") == "jjj"
    page.keyboard.press("Escape")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.wait_for_url("**/missing")
    page.keyboard.press("?")
    page.wait_for_url("**/keys")
    site.open(f"{crash}#t1f0")
    assert page.evaluate("document.getElementById('t1').open")
    site.open(hang)
    page.focus(".icicle a")
    page.keyboard.press("ArrowDown")
    first = page.evaluate("document.activeElement.querySelector('title').textContent")
    page.keyboard.press("Enter")
    page.wait_for_url("**at=**")
    page.wait_for_selector("text=Reset zoom")
    assert first, "a cell has a name"
    page.wait_for_load_state("networkidle")
    site.check("zoomed")
    page.keyboard.press("0")
    page.wait_for_selector("text=Reset zoom", state="detached")
    site.open(f"{hang}?q=hash")
    found = "document.activeElement.querySelector('.found') !== null"
    titles = set()
    for key in ["n", "n", "N"]:
        page.keyboard.press(key)
        assert page.evaluate(found), key
        titles.add(page.evaluate("document.activeElement.querySelector('title').textContent"))
    assert len(titles) == 2, titles


browse(main)

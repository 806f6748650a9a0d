"""Reading, copying and moving with keys alone.

Arguments: the address of the service, the paths of a crash and of a hang.
"""
import sys

from visit import Site, browse


def select_heading(site, path):
    """Selecting the text of a heading leaves its fold closed, and a click opens it."""
    page = site.page
    site.open(path)
    heading = page.locator("#t1 > summary")
    heading.evaluate("element => element.scrollIntoView({ block: 'center' })")
    box = heading.bounding_box()
    height = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + 25, height)
    page.mouse.down()
    page.mouse.move(box["x"] + 120, height, steps=4)
    page.mouse.up()
    assert "Thread" in page.evaluate("getSelection().toString()")
    assert not page.evaluate("document.getElementById('t1').open"), "selecting opened the fold"
    heading.click()
    assert page.evaluate("document.getElementById('t1').open"), "a click did not"


# The frames that are not in a closed fold.
OPEN_ROWS = """() => [...document.querySelectorAll(".frames tr[id], .list tbody tr")]
    .filter((row) => !row.closest("details:not([open])") && row.querySelector("a"))
    .map((row) => row.rowIndex + row.id)"""
FOCUSED_ROW = "(({ rowIndex, id }) => rowIndex + id)(document.activeElement.closest('tr'))"


def walk(site, path):
    """The keys j and k pass closed folds."""
    page = site.page
    site.open(f"{path}?frames=folded")
    rows = page.evaluate(OPEN_ROWS)
    folded = page.evaluate("document.querySelectorAll('.frames details:not([open]) .frames tr').length")
    assert folded > 0, "no closed fold"
    for key, expected in [("j", rows), ("k", rows[-2::-1])]:
        seen = []
        for _ in expected:
            page.keyboard.press(key)
            seen.append(page.evaluate(FOCUSED_ROW))
        assert seen == expected, f"{key}: {seen}, and not {expected}"


def follow_permalink(site, path):
    """A permalink of a frame shows the frame, although another view is remembered."""
    page = site.page
    site.open(f"{path}?view=original")
    site.open(path)
    assert page.locator("#t0f1").count() == 0, "the view is not remembered"
    page.goto(f"{site.base}/keys")
    page.goto(f"{site.base}{path}#t0f1")
    page.wait_for_selector("#t0f1:target")
    site.open(f"{path}?view=stack")


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
    select_heading(site, crash)
    walk(site, crash)
    follow_permalink(site, crash)
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
    # A zoom with the mouse leaves the page where it is, and going back undoes it.
    page.evaluate("scrollTo(0, 80)")
    page.locator(".icicle a").nth(3).click()
    page.wait_for_selector("text=Reset zoom")
    assert page.evaluate("scrollY") == 80, page.evaluate("scrollY")
    page.evaluate("history.back()")
    page.wait_for_selector("text=Reset zoom", state="detached")
    assert "at=" not in page.url, page.url
    # A fold with what was found opens.
    site.open(f"{hang}?q=UIKitCore")
    page.keyboard.press("n")
    page.wait_for_url("**chains=open**")
    page.wait_for_function("document.activeElement.querySelector('.found:not(.chain)')")
    site.open(f"{hang}?q=hash")
    found = "document.activeElement.querySelector('.found') !== null"
    titles = set()
    for key in ["n", "n", "N"]:
        page.keyboard.press(key)
        assert page.evaluate(found), key
        titles.add(page.evaluate("document.activeElement.querySelector('title').textContent"))
    assert len(titles) == 2, titles


browse(main)

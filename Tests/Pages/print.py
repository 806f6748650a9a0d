"""Pages in print: black on white also in dark colours, whole stacks, nothing cut off, no navigation.

Arguments: the address of the service, then names and paths. The prints are in `.build-pages`, as PDF and as pictures.
"""
import sys

from visit import FOLDER, Site, browse

# The width of A4 paper without the margins, in pixels.
WIDTH = 718
HIDDEN_ROWS = """
() => [...document.querySelectorAll("details.thread .frames tr:not(thead tr)")]
    .filter((row) => row.getClientRects().length === 0 || !row.checkVisibility({ contentVisibilityAuto: true }))
    .length
"""
CUT = """
() => [...document.querySelectorAll("main, main *")]
    .filter((element) => !element.closest("svg, .visually-hidden") && element.checkVisibility())
    .filter((element) => element.getBoundingClientRect().right > innerWidth + 1)
    .map((element) => `${element.localName}.${element.className}`)
"""
COLOURS = "() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"


def main(browser):
    base, *pages = sys.argv[1:]
    site = Site(browser, base, "dark")
    page = site.page
    page.set_viewport_size({"width": WIDTH, "height": 1000})
    for argument in pages:
        name, path = argument.split("=", 1)
        site.open(path)
        rows = page.locator("details.thread .frames tbody tr").count()
        page.emulate_media(media="print")
        assert page.locator("header").is_hidden(), f"{name}: navigation"
        assert page.locator("main h1").is_visible(), name
        assert page.evaluate(COLOURS) == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"], page.evaluate(COLOURS)
        assert page.evaluate(HIDDEN_ROWS) == 0, f"{name}: {page.evaluate(HIDDEN_ROWS)} of {rows} frames are hidden"
        assert page.evaluate(CUT) == [], f"{name}: {page.evaluate(CUT)}"
        FOLDER.mkdir(exist_ok=True)
        page.screenshot(path=FOLDER / f"{name}-print.png", full_page=True)
        page.pdf(path=FOLDER / f"{name}-print.pdf", format="A4")
        page.emulate_media(media="screen")
        if name == "crash":
            assert rows > 20, rows
    assert not site.problems, site.problems


browse(main)

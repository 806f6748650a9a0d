"""What an icicle shows agrees with its data, and reading it needs neither the script nor the mouse.

Arguments: the address of the service, then paths of pages with one icicle each.
"""
import sys
import urllib.parse

from visit import Site, browse

CELLS = """() => [...document.querySelectorAll('.icicle > a > svg')].map(cell => ({
    x: parseFloat(cell.getAttribute('x')), y: parseFloat(cell.getAttribute('y')),
    width: parseFloat(cell.getAttribute('width')), title: cell.querySelector('title').textContent,
    found: cell.querySelector('.found') !== null,
}))"""
# Positions have three decimals of a percent.
TOLERANCE = 0.01


def check_nesting(cells):
    """Children are within their parents, and the outermost calls fill the picture."""
    rows = {}
    for cell in cells:
        rows.setdefault(cell["y"], []).append(cell)
    places = sorted(rows)
    top = sum(cell["width"] for cell in rows[places[0]])
    assert abs(top - 100) < TOLERANCE * len(rows[places[0]]) + TOLERANCE, f"the roots fill {top} %"
    for above, row in zip(places, places[1:]):
        for cell in rows[row]:
            assert any(
                parent["x"] - TOLERANCE <= cell["x"]
                and cell["x"] + cell["width"] <= parent["x"] + parent["width"] + TOLERANCE
                for parent in rows[above]), cell["title"]


def main(browser):
    base, *paths = sys.argv[1:]
    site = Site(browser, base, "no-script")
    page = site.page
    for path in paths:
        site.open(path)
        cells = page.evaluate(CELLS)
        assert cells, path
        check_nesting(cells)
        # The heaviest stack is whole: all functions of the table are in the picture, or in a fold.
        names = page.locator(
            "[aria-label='Heaviest stack'] tbody td:nth-last-child(2)").all_inner_texts()
        titles = " ".join(cell["title"] for cell in cells)
        assert names, path
        lost = [name for name in names if name.removeprefix("inlined ") not in titles]
        assert not lost or "system frames" in titles, lost
        # A search marks what it finds, also in folds.
        word = names[-1].removeprefix("inlined ").split("(")[0]
        page.fill(".controls input[name=q]", word)
        page.click(".controls button:has-text('Find')")
        page.wait_for_url("**q=**")
        assert any(cell["found"] for cell in page.evaluate(CELLS)), word
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)
        kept = urllib.parse.parse_qs(urllib.parse.urlsplit(page.url).query)
        assert all(kept.get(name) == value for name, value in query.items()), page.url
        # Zoom is a link.
        page.locator(".icicle > a").nth(1).click()
        page.wait_for_selector("text=Reset zoom")
        check_nesting(page.evaluate(CELLS))
        site.check("icicle-zoomed")
    print(f"{len(paths)} icicles")


browse(main)

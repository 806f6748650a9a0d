"""Long names without blanks are broken or cut, so that pages and lists are as wide as the window.

Arguments: the address of the service, then paths of pages with the names.
"""
import sys

from visit import Site, browse

# The lists that are wider than their place.
WIDE_LISTS = """() => [...document.querySelectorAll(".scroll")]
    .filter((list) => list.scrollWidth > list.clientWidth).map((list) => list.ariaLabel)"""
# The versions in charts that are not cut before their bars.
WIDE_VERSIONS = """() => [...document.querySelectorAll(".chart svg svg")].filter((version) => {
    const bars = [...version.parentElement.querySelectorAll("rect")].map((bar) => bar.x.baseVal.value);
    return getComputedStyle(version).overflow !== "hidden" || version.width.baseVal.value > Math.min(...bars);
}).length"""


def main(browser):
    base, *paths = sys.argv[1:]
    for mode in ["light", "narrow"]:
        site = Site(browser, base, mode)
        for number, path in enumerate(paths):
            site.open(path)
            site.check(f"long-{number}")
            wide = site.page.evaluate(WIDE_LISTS)
            assert mode == "narrow" or not wide, f"{path}: {wide}"
            assert site.page.evaluate(WIDE_VERSIONS) == 0, path
        site.open("/versions")
        assert site.page.locator(".chart svg svg title").count() > 0, "no chart"
        site.context.close()


browse(main)

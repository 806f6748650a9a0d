"""Names of every kind of hostility are shown, not run, and not reordered.

Arguments: the address of the service, then paths of pages with the hostile names.
"""
import sys

from visit import Site, browse


# What is read or spoken. Values of fields and links are not: they have to lead back to the name as it is.
SHOWN = """() => document.body.innerText + [...document.querySelectorAll('*')]
    .flatMap(element => [...element.attributes])
    .filter(attribute => !['value', 'href', 'action'].includes(attribute.name))
    .map(attribute => attribute.value).join(' ')"""


def main(browser):
    base, *paths = sys.argv[1:]
    site = Site(browser, base, "light")
    for number, path in enumerate(paths):
        site.open(path)
        site.check(f"hostile-{number}")
        text = site.page.evaluate(SHOWN)
        assert "\u202e" not in text and "\u0000" not in text, path
        assert site.page.evaluate("window.hostile === undefined"), path
        assert site.page.locator("a[href^='javascript']").count() == 0, path
        scripts = site.page.evaluate("document.scripts.length")
        assert scripts == 1, f"{path}: {scripts} scripts"
    site.open(paths[0])
    # The policy holds even where a script would assign HTML.
    thrown = site.page.evaluate(
        "() => { try { document.body.innerHTML = '<b>'; return false } catch { return true } }")
    assert thrown, "innerHTML is not refused"


browse(main)

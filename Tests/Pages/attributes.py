"""The attributes of a record: a fold at the end of the page, in light and dark, narrow, and without the script.

Arguments: the address of the service, the path of a diagnostic, and a value that its attributes have.
"""
import sys

from visit import MODES, Site, browse


def main(browser):
    base, path, value = sys.argv[1:]
    for mode in MODES:
        site = Site(browser, base, mode)
        site.open(path)
        fold = site.page.locator("#attributes")
        table = fold.locator("table")
        assert not table.is_visible(), f"{mode}: open from the start"
        fold.locator("summary").first.click()
        assert table.is_visible(), f"{mode}: closed after a click"
        assert value in table.inner_text(), f"{mode}: {table.inner_text()}"
        fold.scroll_into_view_if_needed()
        site.check("attributes")
        link = table.get_by_role("link", name="as received").first
        assert "view=original" in link.get_attribute("href")
        site.context.close()
    site = Site(browser, base, "light")
    site.open(f"{path}#attributes")
    assert site.page.locator("#attributes table").is_visible(), "a link to the fold opens it"


browse(main)

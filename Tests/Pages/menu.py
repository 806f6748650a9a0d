"""The menu of downloads: over the page, in light and dark, narrow, and without the script, which only closes it.

Arguments: the address of the service, the path of a diagnostic.
"""
import sys

from visit import MODES, Site, browse


def main(browser):
    base, path = sys.argv[1:]
    for mode in MODES:
        site = Site(browser, base, mode)
        page = site.page
        site.open(path)
        link = page.locator(".menu a", has_text="As received")
        assert not link.is_visible(), f"{mode}: open from the start"
        before = page.locator("#t0").bounding_box()
        page.click(".menu summary")
        assert link.is_visible(), f"{mode}: closed after a click"
        assert page.locator("#t0").bounding_box() == before, f"{mode}: the menu moves the page"
        site.check("menu")
        if mode == "narrow":
            page.set_viewport_size({"width": 320, "height": 640})
            box = link.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= 320, box
        if mode != "no-script":
            page.keyboard.press("Escape")
            assert not link.is_visible(), f"{mode}: open after Escape"
            page.click(".menu summary")
            page.click("h1")
            assert not link.is_visible(), f"{mode}: open after a click elsewhere"
            # Keys that open a fold mean one of the page.
            page.keyboard.press("o")
            assert not link.is_visible(), f"{mode}: open after a key"
            page.click(".menu summary")
        with page.expect_download() as download:
            link.click()
        assert download.value.suggested_filename.endswith(".json"), download.value.suggested_filename
        site.context.close()


browse(main)

"""Report files of every form are dropped: each is shown with its title and its faulting thread or its icicle.

Arguments: the address of the service, a folder with reports.
"""
import pathlib
import sys

from drop_event import drop
from visit import Site, browse


def main(browser):
    base, folder = sys.argv[1:]
    site = Site(browser, base, "light")
    page = site.page
    files = sorted(path for path in pathlib.Path(folder).iterdir() if ".expected." not in path.name)
    # One of each form: the forms are the endings.
    forms = {path.name.split(".", 1)[1]: path for path in files}
    for path in forms.values():
        site.open("/drop")
        drop(page, str(path))
        page.wait_for_url("**/r/*")
        page.wait_for_selector("h1")
        title = page.inner_text("h1")
        shown = page.locator("details.thread[open], .icicle, main li a, .list tbody a").count()
        assert title and shown > 0, f"{path.name}: {title}"
    print(f"{len(forms)} forms")


browse(main)

"""Every page, in light and dark, without the script, and on a narrow screen.

Arguments: the address of the service, then names and paths: `crash=/d/1`. With `UPDATE_GOLDENS=1` the picture of the
crash becomes the one of the README.
"""
import os
import pathlib
import shutil
import sys

from visit import FOLDER, MODES, Site, browse

PICTURE = pathlib.Path(__file__).parents[2] / "Documentation" / "crash-page.png"


def main(browser):
    base, *pages = sys.argv[1:]
    for mode in MODES:
        site = Site(browser, base, mode)
        for page in pages:
            name, path = page.split("=", 1)
            site.open(path)
            site.check(name)
        site.context.close()
        print(f"{mode}: {len(pages)} pages")
    if os.environ.get("UPDATE_GOLDENS") == "1":
        shutil.copy(FOLDER / "crash-light.png", PICTURE)


browse(main)

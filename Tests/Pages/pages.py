"""Every page, in light and dark, without the script, and on a narrow screen.

Arguments: the address of the service, then names and paths: `crash=/d/1`. With `UPDATE_GOLDENS=1` the picture of the
crash becomes the one of the README.
"""
import os
import pathlib
import re
import shutil
import sys

from visit import FOLDER, MODES, Site, browse

# What is read without the script. Times and sizes differ from visit to visit.
TEXT = """() => {
    for (const element of document.querySelectorAll("time, .needs-script")) element.remove();
    return document.querySelector("main").innerText;
}"""
PICTURE = pathlib.Path(__file__).parents[2] / "Documentation" / "crash-page.png"


def main(browser):
    base, *pages = sys.argv[1:]
    texts = {}
    for mode in MODES:
        site = Site(browser, base, mode)
        for page in pages:
            name, path = page.split("=", 1)
            site.open(path)
            site.check(name)
            if mode == "narrow":
                site.page.set_viewport_size({"width": 320, "height": 640})
                width = site.page.evaluate("document.documentElement.scrollWidth")
                assert width <= 320, f"{name} scrolls sideways: {width} px"
                site.page.set_viewport_size(MODES[mode]["viewport"])
            # The health page has the state of the moment.
            if mode in ["light", "no-script"] and name != "health":
                text = re.sub("[0-9.]+", "0", site.page.evaluate(TEXT))
                assert texts.setdefault(name, text) == text, f"{name}: other text without the script"
        site.context.close()
        print(f"{mode}: {len(pages)} pages")
    if os.environ.get("UPDATE_GOLDENS") == "1":
        shutil.copy(FOLDER / "crash-light.png", PICTURE)


browse(main)

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
# The heads of tables with more than one line.
TALL_HEADS = """() => [...document.querySelectorAll(".list th")]
    .filter((head) => head.clientHeight > 40).map((head) => head.textContent)"""
# The frames whose offset is on another line than their number.
STRAY_OFFSETS = """() => [...document.querySelectorAll(".frames td.offset:not(:empty)")].filter((offset) => {
    const number = offset.parentElement.querySelector(".number");
    return number.offsetParent && Math.abs(number.getBoundingClientRect().top - offset.getBoundingClientRect().top) > 4;
}).length"""
# The links in lists that are less high than a target has to be.
SMALL_TARGETS = """() => [...document.querySelectorAll("main > ul a")]
    .filter((link) => link.getBoundingClientRect().height < 24).map((link) => link.textContent)"""
PICTURE = pathlib.Path(__file__).parents[2] / "Documentation" / "crash-page.png"


def text_of(site):
    return re.sub("[0-9.,]+( bytes| kB| MB| GB)?", "0", site.page.evaluate(TEXT))


def check_changing(browser, base, name, path):
    """The text of a page that changes by itself is the same without the script at some moment."""
    sites = [Site(browser, base, mode) for mode in ["light", "no-script"]]
    for _ in range(20):
        texts = []
        for site in sites:
            site.open(path)
            texts.append(text_of(site))
        if texts[0] == texts[1]:
            break
    assert texts[0] == texts[1], f"{name}: other text without the script"
    for site in sites:
        site.context.close()


def main(browser):
    base, *pages = sys.argv[1:]
    texts = {}
    for mode in MODES:
        site = Site(browser, base, mode)
        for page in pages:
            name, path = page.split("=", 1)
            site.open(path)
            site.check(name)
            small = site.page.evaluate(SMALL_TARGETS)
            assert not small, f"{name}: small targets {small}"
            if mode == "narrow":
                site.page.set_viewport_size({"width": 320, "height": 640})
                width = site.page.evaluate("document.documentElement.scrollWidth")
                assert width <= 320, f"{name} scrolls sideways: {width} px"
                site.page.set_viewport_size(MODES[mode]["viewport"])
                tall = site.page.evaluate(TALL_HEADS)
                assert not tall, f"{name}: tall heads {tall}"
                assert site.page.evaluate(STRAY_OFFSETS) == 0, name
            # The health page has the state of the moment.
            if mode in ["light", "no-script"] and name != "health":
                text = text_of(site)
                assert texts.setdefault(name, text) == text, f"{name}: other text without the script"
        site.context.close()
        print(f"{mode}: {len(pages)} pages")
    for page in pages:
        name, path = page.split("=", 1)
        if name == "health":
            check_changing(browser, base, name, path)
    if os.environ.get("UPDATE_GOLDENS") == "1":
        shutil.copy(FOLDER / "crash-light.png", PICTURE)


browse(main)

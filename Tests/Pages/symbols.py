"""A dropped report becomes readable without a click when an archive with its dSYMs is dropped.

Arguments: the address of the service, a report, a folder with dSYMs, a function of the report, `zip` or `xcarchive`.
"""
import pathlib
import plistlib
import shutil
import sys
import tempfile

from drop_event import drop
from visit import Site, browse

BUILD = {
    "CFBundleIdentifier": "com.example.Orchard", "CFBundleShortVersionString": "1.4.0",
    "CFBundleVersion": "217",
}


def archive(symbols, kind, folder):
    """An archive as Xcode makes it, or a zip of the dSYMs."""
    if kind == "zip":
        return shutil.make_archive(folder / "symbols", "zip", symbols)
    bundle = folder / "Orchard.xcarchive"
    shutil.copytree(symbols, bundle / "dSYMs")
    (bundle / "Info.plist").write_bytes(plistlib.dumps({"ApplicationProperties": BUILD}))
    return str(bundle)


def main(browser):
    base, report, symbols, function, kind = sys.argv[1:]
    site = Site(browser, base, "light")
    page = site.page
    site.open("/drop")
    drop(page, report)
    page.wait_for_url("**/r/*")
    page.wait_for_selector("text=no symbols for this image")
    with tempfile.TemporaryDirectory() as folder:
        drop(page, archive(symbols, kind, pathlib.Path(folder)))
        page.wait_for_selector(f".name:has-text('{function}')", timeout=60_000)
    page.wait_for_load_state("networkidle")
    site.check(f"dropped-{kind}")
    if kind == "xcarchive":
        site.open("/builds")
        assert page.locator("a:has-text('1.4.0 (217)')").count() == 1, "the archive names the build"


browse(main)

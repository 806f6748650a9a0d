"""Pages that are open while an image is uploaded change without a click: its row is gone, and the crash is readable.

Arguments: the address of the service, the path of a crash, a debug file, its identity, a function of the crash.
"""
import pathlib
import sys

from visit import Site, browse


def main(browser):
    base, crash, file, identity, function = sys.argv[1:]
    site = Site(browser, base, "light")
    site.open("/missing")
    missing = site.page
    assert missing.locator(f"tr:has(a:has-text('{identity}'))").count() == 1
    other = Site(browser, base, "dark")
    other.open(crash)
    assert other.page.locator(f".name:has-text('{function}')").count() == 0
    reply = site.context.request.post(
        f"{base}/v1/symbols", data=pathlib.Path(file).read_bytes(),
        headers={"Content-Type": "application/octet-stream"})
    assert reply.status == 201, reply.text()
    # A hidden page does not ask, so each is brought to the front in turn.
    missing.bring_to_front()
    missing.wait_for_selector(f"tr:has(a:has-text('{identity}'))", state="detached", timeout=60_000)
    missing.wait_for_selector("#status:has-text('1 diagnostic became readable')")
    other.page.bring_to_front()
    other.page.wait_for_selector(f".name:has-text('{function}')", timeout=60_000)
    other.page.wait_for_load_state("networkidle")
    other.check("crash-served")


browse(main)

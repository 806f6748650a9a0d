"""Open pages change without a click. A crash arrives: its images are listed on a page that was empty. An image is
uploaded: its row is gone, and the crash is readable.

Arguments: the address of the service, a payload, a debug file, its identity, a function of the crash.
"""
import pathlib
import sys

from visit import Site, browse


def wait_for_answers(site):
    """A page asks again only after the answer to its last question."""
    page = site.page
    questions = []
    page.route("**/missing", lambda question: questions.append(question))
    page.wait_for_timeout(13_000)
    page.unroute_all(behavior="ignoreErrors")
    assert len(questions) == 1, f"{len(questions)} at once"


def main(browser):
    base, payload, file, identity, function = sys.argv[1:]
    site = Site(browser, base, "light")
    site.open("/missing")
    missing = site.page
    assert missing.locator("text=No diagnostics are waiting").count() == 1
    wait_for_answers(site)
    site.open("/missing")
    reply = site.context.request.post(
        f"{base}/v1/metrickit", data=pathlib.Path(payload).read_bytes(), headers={"Content-Type": "application/json"})
    assert reply.status == 202, reply.text()
    missing.wait_for_selector(f"tr:has(a:has-text('{identity}'))", timeout=60_000)
    crash = f"/d/{site.context.request.get(f'{base}/v1/diagnostics').json()['diagnostics'][0]['id']}"
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

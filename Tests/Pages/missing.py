"""Open pages follow what arrives. Rows of a list appear and leave in place: the images of a crash, and an image that was
uploaded. The page of the crash becomes readable without a click, unless it is in use.

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


def expect_same(page):
    """Checks that a page was not loaded again."""
    assert page.evaluate("window.isSame"), "the page was loaded again"
    assert page.input_value("#search") == "typed"


def show(page, text):
    """Shows what a page told. Until then, it is as it was, with the text in a field."""
    page.wait_for_selector(f"#status:has-text('{text}')", timeout=60_000)
    expect_same(page)
    page.click("#status button:has-text('Show')")
    page.wait_for_function("!window.isSame")
    page.wait_for_load_state("networkidle")


def use(page):
    """Types into a field of a page."""
    page.fill("#search", "typed")
    page.evaluate("window.isSame = true")


def main(browser):
    base, payload, file, identity, function = sys.argv[1:]
    row = f"tr:has(a:has-text('{identity}'))"
    site = Site(browser, base, "light")
    site.open("/missing")
    missing = site.page
    assert missing.locator("text=No diagnostics are waiting").count() == 1
    wait_for_answers(site)
    site.open("/missing")
    use(missing)
    reply = site.context.request.post(
        f"{base}/v1/metrickit", data=pathlib.Path(payload).read_bytes(), headers={"Content-Type": "application/json"})
    assert reply.status == 202, reply.text()
    missing.wait_for_selector(row, timeout=60_000)
    expect_same(missing)
    # A link of another row keeps the focus.
    kept = missing.locator("tr[data-image] a").filter(has_not_text=identity).first
    kept.focus()
    kept_text = kept.inner_text()
    crash = f"/d/{site.context.request.get(f'{base}/v1/diagnostics').json()['diagnostics'][0]['id']}"
    other = Site(browser, base, "dark")
    other.open(crash)
    assert other.page.locator(f".name:has-text('{function}')").count() == 0
    used = site.context.new_page()
    used.goto(base + crash)
    use(used)
    reply = site.context.request.post(
        f"{base}/v1/symbols", data=pathlib.Path(file).read_bytes(),
        headers={"Content-Type": "application/octet-stream"})
    assert reply.status == 201, reply.text()
    # A hidden page does not ask, so each is brought to the front in turn.
    missing.bring_to_front()
    missing.wait_for_selector(row, state="detached", timeout=60_000)
    missing.wait_for_selector("#status:has-text('1 diagnostic became readable.')")
    expect_same(missing)
    assert missing.evaluate("document.activeElement.innerText") == kept_text
    site.check("missing-changed")
    used.bring_to_front()
    show(used, "Symbols have arrived.")
    assert used.locator(f".name:has-text('{function}')").count() > 0
    other.page.bring_to_front()
    other.page.wait_for_selector(f".name:has-text('{function}')", timeout=60_000)
    other.page.wait_for_load_state("networkidle")
    other.check("crash-served")


browse(main)

"""A record that an exporter refused is listed with the reason, resent with the button, and gone. An open page follows.

Arguments: the address of the service, a payload.
"""
import pathlib
import sys

from visit import Site, browse

RECENT = """[...document.querySelectorAll("h2")]
    .find((heading) => heading.textContent === "Last 24 hours").nextElementSibling.textContent"""


def resend(site):
    """Sends the letters again. The page with the result can be loaded again, and the theme leads back to it."""
    page = site.page
    page.click("button:has-text('Resend')")
    page.wait_for_url("**/health?**")
    page.wait_for_selector("text=/Sent \\d+ of \\d+ letters?/")
    assert "failed" not in page.inner_text("main"), page.inner_text("main")
    with page.expect_response(lambda reply: reply.request.resource_type in ["fetch", "xhr"]) as again:
        pass
    assert again.value.status == 200, again.value.status
    page.click("button:has-text('Theme')")
    page.wait_for_selector("html[data-theme=dark]")
    assert page.locator("text=/Sent \\d+ of \\d+ letters?/").count() == 1, page.url
    site.check("health-sent")


def follow(site, payload):
    """An open page shows what arrives. It is not loaded again, and the focus stays where it is."""
    page = site.page
    site.open("/health")
    page.evaluate("window.isSame = true")
    page.focus("[aria-label=Exporters]")
    before = page.evaluate(RECENT)
    text = pathlib.Path(payload).read_text().replace("09:00:00", "10:00:00")
    reply = page.request.post(
        f"{site.base}/v1/metrickit", data=text, headers={"Content-Type": "application/json"})
    assert reply.status == 202, reply.text()
    page.wait_for_function(f"(before) => {RECENT} !== before", arg=before)
    assert page.evaluate("window.isSame"), "the page was loaded again"
    assert page.evaluate("document.activeElement.ariaLabel") == "Exporters"
    site.check("health-followed")


def main(browser):
    base, payload = sys.argv[1:]
    site = Site(browser, base, "light")
    page = site.page
    site.open("/health")
    site.check("health-letters")
    row = page.locator("tr", has_text="400")
    assert row.count() >= 1, "the reason is shown"
    page.click("a:has-text('Show')")
    page.wait_for_url("**/health/dead-letters/*")
    assert page.locator("tbody tr").count() >= 1, "the letters are listed"
    site.check("letters")
    resend(site)
    site.open("/health")
    assert page.locator("text=No exporter has permanently rejected a record").count() == 1
    assert page.locator("button:has-text('Resend')").count() == 0
    site.check("health-resent")
    follow(site, payload)


browse(main)

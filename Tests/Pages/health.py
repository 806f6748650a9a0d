"""A record that an exporter refused is listed with the reason, resent with the button, and gone.

Arguments: the address of the service.
"""
import sys

from visit import Site, browse


def main(browser):
    base, = sys.argv[1:]
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
    page.click("button:has-text('Resend')")
    page.wait_for_selector("text=/Sent \\d+ of \\d+ letters/")
    assert "failed" not in page.inner_text("main"), page.inner_text("main")
    site.open("/health")
    assert page.locator("text=No exporter refused a record for good").count() == 1
    assert page.locator("button:has-text('Resend')").count() == 0
    site.check("health-resent")


browse(main)

"""Every form works without the script: filters, search, colours, drops, downloads and the deletion of a build.

Arguments: the address of the service, a report.
"""
import pathlib
import sys

from visit import Site, browse


def main(browser):
    base, report = sys.argv[1:]
    site = Site(browser, base, "no-script")
    page = site.page
    site.open("/")
    page.select_option("select[name=sort]", "count")
    page.click("button:has-text('Apply')")
    page.wait_for_url("**sort=count**")
    page.fill("#search", "share")
    page.press("#search", "Enter")
    page.wait_for_url("**q=share**")
    assert "share(_:among:)" in page.inner_text("main")
    page.click(".pills a:has-text('share')")
    page.wait_for_function("!location.search.includes('share')")
    assert page.locator(".pills a").count() == 0
    page.click("button:has-text('Theme')")
    page.wait_for_selector("html[data-theme=dark]")
    site.check("forms-dark")
    site.open("/drop")
    page.set_input_files("#files", report)
    page.click("form.drop button")
    page.wait_for_url("**/r/*")
    assert "share(_:among:)" in page.inner_text("main")
    page.click("summary:has-text('Download')")
    with page.expect_download() as download:
        page.click(".menu a:has-text('As received')")
    assert download.value.suggested_filename == "report.ips", download.value.suggested_filename
    received = download.value.path().read_text()
    assert "faultingThread" in received and "share(_:among:)" not in received, received[:200]
    page.click("button:has-text('Forget this report')")
    page.wait_for_url("**/drop")
    page.fill("textarea", pathlib.Path(report).read_text())
    page.click("form.drop button")
    page.wait_for_url("**/r/*")
    assert "share(_:among:)" in page.inner_text("main")
    site.open("/builds/com.example.Orchard/1.4.0/217")
    page.click("a:has-text('Delete this build')")
    page.wait_for_url("**/delete")
    assert "This removes the build and" in page.inner_text("main")
    page.click("a:has-text('Cancel')")
    page.click("a:has-text('Delete this build')")
    page.click("button.danger")
    page.wait_for_url("**/builds")
    assert "1.4.0 (217)" not in page.inner_text("main"), page.inner_text("main")


browse(main)

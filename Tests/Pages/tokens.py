"""With tokens: signing in, what a token for one app sees, and what is refused.

Arguments: the address of the service, a token that may do everything, a token for another app, a payload.
"""
import pathlib
import sys
import time

from visit import Site, browse


def sign_in(site, token):
    site.page.fill("input[type=password]", token)
    site.page.click("main button")


def receive(page, base, token, payload):
    """Sends a payload and returns the path of its diagnostic."""
    headers = {"Authorization": f"Bearer {token}"}
    reply = page.request.post(
        f"{base}/v1/metrickit", data=pathlib.Path(payload).read_bytes(),
        headers={**headers, "Content-Type": "application/json"})
    assert reply.status == 202, reply.text()
    while True:
        found = page.request.get(f"{base}/v1/diagnostics", headers=headers).json()["diagnostics"]
        if found:
            return f"/d/{found[0]['id']}"
        time.sleep(0.1)


def expire(site, base, token):
    """A form that is sent after the sign-in has expired: with the script, the page stays as it is, with a link for
    signing in; without it, the sign-in page says that nothing was read, and leads back."""
    page = site.page
    site.open("/drop")
    page.fill("textarea", "some text")
    site.context.clear_cookies()
    page.click("form.drop button")
    link = page.locator("#status a:has-text('Sign in')")
    link.wait_for()
    assert page.input_value("textarea") == "some text"
    assert "not sent" in page.inner_text(".dropped"), page.inner_text(".dropped")
    # The browser reports the status.
    site.problems.clear()
    site.check("signed-out-drop")
    with page.context.expect_page() as opened:
        link.click()
    opened.value.wait_for_load_state()
    opened.value.fill("input[type=password]", token)
    opened.value.click("main button")
    opened.value.wait_for_url("**/drop")
    opened.value.close()
    page.click("form.drop button")
    page.wait_for_selector(".dropped:has-text('not read')")
    site.context.clear_cookies()
    plain = Site(site.context.browser, base, "no-script")
    plain.open("/drop")
    sign_in(plain, token)
    plain.page.wait_for_url("**/drop")
    plain.page.fill("textarea", "some text")
    plain.context.clear_cookies()
    plain.page.click("form.drop button")
    plain.page.wait_for_selector("text=the form was not processed")
    plain.problems.clear()
    plain.check("signed-out-form")
    sign_in(plain, token)
    plain.page.wait_for_url("**/drop")


def main(browser):
    base, token, other, payload = sys.argv[1:]
    site = Site(browser, base, "light")
    page = site.page
    crash = receive(page, base, token, payload)
    site.open(crash)
    assert "/sign-in" in page.url, page.url
    site.check("signing-in")
    page.fill("input[type=password]", "wrong")
    with page.expect_response("**/sign-in") as refused:
        page.click("main button")
    assert refused.value.status == 401
    site.problems.clear()
    sign_in(site, token)
    page.wait_for_url(f"**{crash}")
    cookies = [cookie for cookie in site.context.cookies() if cookie["name"].startswith("symbolist")]
    assert all(cookie["httpOnly"] and token not in cookie["value"] for cookie in cookies), cookies
    expire(site, base, token)
    site.open(crash)
    sign_in(site, token)
    page.wait_for_url(f"**{crash}")
    cookies = [cookie for cookie in site.context.cookies() if cookie["name"].startswith("symbolist")]
    # A cookie is no use to another site, nor after a change of a single byte.
    form = {"theme": "dark", "return": "/"}
    foreign = page.request.post(
        f"{base}/view", form=form,
        headers={"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"})
    assert foreign.status == 403, foreign.status
    letters = page.request.post(
        f"{base}/health/resend", form={"exporter": "a", "reason": "b"},
        headers={"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"})
    assert letters.status == 403, letters.status
    forged = [{**cookie, "value": cookie["value"][:-1] + ("0" if cookie["value"][-1] != "0" else "1")}
              for cookie in cookies]
    site.context.clear_cookies()
    site.context.add_cookies(forged)
    site.open(crash)
    assert "/sign-in" in page.url, "a forged cookie is refused"
    site.context.clear_cookies()
    # The token of another app does not see the crash, and changes nothing.
    site.open("/sign-in")
    sign_in(site, other)
    page.wait_for_url(f"{base}/")
    with page.expect_response(f"**{crash}") as hidden:
        page.goto(base + crash)
    assert hidden.value.status == 404, hidden.value.status
    site.problems.clear()
    site.open("/")
    page.click("button:has-text('Sign out')")
    page.wait_for_url("**/sign-in**")
    # The browser reports that it cleared its cache.
    site.problems.clear()
    site.check("signed-out")


browse(main)

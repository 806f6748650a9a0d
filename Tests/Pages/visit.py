"""Visits pages in Chromium, and checks what holds for every page.

Each visit expects: no console message, no failed request, at most four requests, no foreign host, no visible layout
shift, valid HTML, and no finding of axe. Screenshots, the findings of axe and the HTML of failures are in
`.build-pages`.
"""
import json
import os
import pathlib
import urllib.parse

import html5lib
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

FOLDER = pathlib.Path(__file__).parents[2] / ".build-pages"
MODES = {
    "light": {"color_scheme": "light"},
    "dark": {"color_scheme": "dark"},
    "no-script": {"color_scheme": "light"},
    "narrow": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
}
# The most requests of a page: itself, style sheet, script and icon.
REQUESTS = 4
# The size of targets is a rule of WCAG 2.2 AA that axe leaves out unless it is asked for.
RULES = {"rules": {"target-size": {"enabled": True}}}
# The largest shift of a page that was painted before all of it had arrived.
PARTIAL_SHIFT = 0.02
SHIFTS = """
() => new Promise((resolve) => {
    let sum = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) sum += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
    requestAnimationFrame(() => requestAnimationFrame(() => resolve(sum)));
})
"""


class Site:
    """A browser in one mode, at one service."""

    def __init__(self, browser, base, mode):
        options = {"viewport": {"width": 1280, "height": 900}, **MODES[mode]}
        self.context = browser.new_context(**options)
        self.base, self.mode = base, mode
        self.problems = []
        # Addresses: a busy browser asks for the icon of the page before once more when the next one is opened.
        self.requests = set()
        if mode == "no-script":
            self.context.route("**/pages.js", lambda route: route.abort())
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.note("console", message.text))
        self.page.on("pageerror", lambda error: self.note("error", str(error)))
        self.page.on("dialog", lambda dialog: self.note("dialog", dialog.message))
        self.page.on(
            "requestfailed", lambda request: self.note("failed", f"{request.url}: {request.failure}"))
        self.page.on("request", self.check_request)

    def note(self, kind, text):
        is_blocked = self.mode == "no-script" and ("pages.js" in text or "ERR_FAILED" in text)
        # A navigation ends the request of the page before.
        if not is_blocked and "ERR_ABORTED" not in text:
            self.problems.append(f"{kind}: {text}")

    def check_request(self, request):
        # A page that follows the service asks again, and a redirection continues the request before.
        if request.resource_type not in ["fetch", "xhr"] and request.redirected_from is None:
            self.requests.add(request.url)
        host = urllib.parse.urlsplit(request.url).netloc
        if host != urllib.parse.urlsplit(self.base).netloc:
            self.problems.append(f"foreign host: {request.url}")

    def open(self, path):
        self.requests.clear()
        self.page.goto(self.base + path)
        self.page.wait_for_load_state("networkidle")
        if len(self.requests) > REQUESTS:
            self.problems.append(f"too many requests: {self.requests}")

    def check(self, name):
        """Checks the open page, and keeps a screenshot."""
        FOLDER.mkdir(exist_ok=True)
        picture = FOLDER / f"{name}-{self.mode}.png"
        self.page.screenshot(path=picture)
        shift = self.shift()
        if shift > 0:
            self.problems.append(f"layout shift: {shift}")
        width = self.page.evaluate("document.documentElement.scrollWidth")
        if width > self.page.viewport_size["width"]:
            self.problems.append(f"scrolls sideways: {width} px")
        result = Axe().run(self.page, options=RULES)
        findings = {kind: result.response[kind] for kind in ["violations", "incomplete"]}
        picture.with_suffix(".axe.json").write_text(json.dumps(findings, indent=1))
        if result.violations_count:
            self.problems.append(f"axe: {result.generate_report()}")
        self.check_html(name)
        problems, self.problems = self.problems, []
        assert not problems, f"{self.page.url}, {picture}: " + "\n".join(problems)

    def shift(self):
        """Returns how much the open page shifted.

        Where the processor is busy, a page may be painted before all of it has arrived. It then shifts a little, but
        not at each visit.
        """
        shift = self.page.evaluate(SHIFTS)
        for _ in range(2):
            if not 0 < shift <= PARTIAL_SHIFT:
                break
            again = self.context.new_page()
            again.goto(self.page.url)
            again.wait_for_load_state("networkidle")
            shift = again.evaluate(SHIFTS)
            again.close()
        return shift

    def check_html(self, name):
        text = self.page.request.get(self.page.url, headers={"Accept": "text/html"}).text()
        try:
            html5lib.HTMLParser(strict=True).parse(text)
        except html5lib.html5parser.ParseError as error:
            (FOLDER / f"{name}.html").write_text(text)
            self.problems.append(f"HTML: {error}, see {name}.html")


def browse(body):
    """Starts Chromium and passes it on."""
    with sync_playwright() as playwright:
        path = os.environ.get("CHROMIUM", "/usr/bin/chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        try:
            body(browser)
        finally:
            browser.close()

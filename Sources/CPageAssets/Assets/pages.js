// Keys, copying, dropping and reloading. Every page is complete without this file.
const root = document.documentElement;
const prefix = new URL(import.meta.url).pathname.replace(/\/assets\/[^/]+\/[^/]+$/, "");
const status = document.getElementById("status");
// Replaces the characters that would affect the text around them.
const plain = (text) => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
const say = (text) => { status.textContent = plain(text); };
root.classList.add("scripted");

// Loads the page again, and shows a message and the results of a drop afterwards. A browser without storage shows nothing.
let shownResults = [];
function reload(text, results = shownResults) {
    try { sessionStorage.setItem("message", JSON.stringify({ text, results })); } catch { /* not allowed */ }
    location.reload();
}

// Adds an element with text, and a space after it.
function append(parent, name, text, className = "") {
    const element = document.createElement(name);
    element.textContent = plain(text);
    element.className = className;
    parent.append(element, " ");
    return element;
}

// The button or link of the last offer that was not taken.
let offered = null;

// Says something, with a button. A click on it removes both.
function offer(text, label, action) {
    say(text);
    status.append(" ");
    const button = append(status, "button", label);
    button.type = "button";
    offered = button;
    button.addEventListener("click", () => {
        offered = null;
        say("");
        action();
    });
}

// Says something, with a link for signing in. It opens another tab, so that nothing on this page is lost.
function offerSignIn(text, address) {
    say(text);
    status.append(" ");
    offered = append(status, "a", "Sign in in a new tab");
    Object.assign(offered, { href: address, target: "_blank", rel: "noopener" });
}

// Shows how much of a file was sent. Screen readers are told only what is in `milestone`, if there is one.
function showProgress(text, done, milestone) {
    if (!status.querySelector("progress")) {
        say("");
        append(status, "span", "").setAttribute("aria-hidden", "true");
        append(status, "progress", "").setAttribute("aria-hidden", "true");
        append(status, "span", "", "visually-hidden");
    }
    const [detail, bar, spoken] = status.children;
    detail.textContent = plain(text);
    bar.value = done;
    if (milestone) spoken.textContent = plain(milestone);
}

// The results of a drop, over the page. A new drop replaces them.
const badges = { indexed: "good", report: "good", duplicate: "warn" };
const resultLimit = 50;
function showResults(results) {
    document.querySelector(".dropped")?.remove();
    shownResults = results;
    if (results.length === 0) return;
    const panel = document.createElement("section");
    panel.className = "dropped";
    panel.tabIndex = 0;
    panel.setAttribute("aria-label", "Dropped files");
    append(panel, "h2", "Dropped files");
    const list = append(panel, "ul", "");
    for (const { name, architecture, status, reason, location } of results.slice(0, resultLimit)) {
        const item = append(list, "li", "");
        const shown = append(item, location ? "a" : "bdi", name);
        if (location) Object.assign(shown, { href: location, dir: "auto" });
        if (architecture) append(item, "bdi", architecture, "note");
        append(item, "strong", status, `badge ${badges[status] ?? "bad"}`);
        if (reason) append(item, "bdi", reason);
    }
    const rest = results.length - resultLimit;
    if (rest > 0) append(panel, "p", `${rest} more`, "note");
    const close = append(panel, "button", "Close");
    close.type = "button";
    close.addEventListener("click", () => showResults([]));
    document.body.append(panel);
}
try {
    const { text, results } = JSON.parse(sessionStorage.getItem("message") ?? "{}");
    sessionStorage.removeItem("message");
    say(text ?? "");
    showResults(results ?? []);
} catch { /* not allowed */ }

// Menus. A click elsewhere and Escape close them.
const openMenu = () => document.querySelector(".menu[open]");
document.addEventListener("click", (event) => {
    const menu = openMenu();
    if (menu && !event.target.closest(".menu > summary")) menu.open = false;
});

// Selecting text in the heading of a fold neither opens nor closes it.
let hasFolded = false;
document.addEventListener("click", (event) => {
    const summary = event.target.closest("summary");
    const selection = getSelection();
    const isDrag = event.detail > 0 && !selection.isCollapsed;
    if (summary && isDrag && selection.containsNode(summary, true)) event.preventDefault();
    else if (summary && !summary.closest(".menu")) hasFolded = true;
});

// Copying. Only https and localhost have a clipboard; elsewhere a hidden field helps.
async function copy(text) {
    if (navigator.clipboard && !window.ClipboardItem) return navigator.clipboard.writeText(await text);
    if (navigator.clipboard) {
        // Safari accepts a text that arrives after the click only as a promise.
        const blob = text.then((content) => new Blob([content], { type: "text/plain" }));
        return navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
    }
    const area = document.createElement("textarea");
    area.value = await text;
    area.className = "visually-hidden";
    document.body.append(area);
    area.select();
    const isCopied = document.execCommand("copy");
    area.remove();
    if (!isCopied) throw new Error("refused");
}

async function textToCopy(button) {
    if (button.dataset.copy) return document.getElementById(button.dataset.copy).textContent;
    const response = await fetch(button.dataset.copyFrom).catch(() => null);
    // After a redirection, it is the page for signing in.
    if (!response?.ok || response.redirected) throw new Error("The report could not be loaded. Reload the page.");
    return response.text();
}

document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy], [data-copy-from]");
    if (!button) return;
    const text = textToCopy(button);
    try {
        await copy(text);
        say(`Copied ${(await text).length.toLocaleString("en")} characters.`);
    } catch {
        say(await text.then(() => "The browser refused to copy. Select the text instead.", (error) => error.message));
    }
});

// Keys.
const isTyping = (target) => target.closest("input, textarea, select") !== null;
const rows = () => [...document.querySelectorAll(".frames tr.app, .frames tr.sys, .list tbody tr")]
    .filter((row) => row.checkVisibility() && row.querySelector("a"));
const click = (selector) => () => document.querySelector(selector)?.click();
const open = (path) => () => { location.href = prefix + path; };

function moveBy(step) {
    const all = rows();
    const at = all.indexOf(document.activeElement.closest?.("tr"));
    all[Math.min(Math.max(at + step, 0), all.length - 1)]?.querySelector("a").focus();
}

function toggleFold() {
    const fold = document.activeElement.closest?.("details") ?? document.querySelector("details:not(.menu)");
    if (!fold) return;
    fold.open = !fold.open;
    hasFolded = true;
}

const keys = {
    "/": () => document.getElementById("search").focus(),
    "?": click("#keys"),
    j: () => moveBy(1),
    k: () => moveBy(-1),
    o: toggleFold,
    a: click("[data-choice='Frames all']"),
    r: click("[data-choice='Names mangled']"),
    c: click("[data-key='c']"),
    C: click("[data-key='C']"),
    "[": click("a[rel=prev]"),
    "]": click("a[rel=next]"),
    0: click("[data-key='0']"),
    Escape: () => {
        const menu = openMenu();
        if (!menu) return click("[data-key='0']")();
        menu.open = false;
        menu.querySelector("summary").focus();
    },
    n: () => focusFound(1),
    N: () => focusFound(-1),
};
const places = {
    c: open("/"), m: open("/missing"), b: open("/builds"), v: open("/versions"),
    s: open("/health"), h: open("/?kind=hang"),
};
let isGoing = false;

document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
    const action = isGoing ? places[event.key] : keys[event.key];
    isGoing = !isGoing && event.key === "g";
    if (!action) return;
    event.preventDefault();
    action();
});

// The icicle: arrow keys move from cell to cell. One cell is in the tab order.
const cellsIn = () => [...document.querySelectorAll(".icicle a")];
const hrefOf = (link) => link.getAttribute("href");
const titleOf = (cell) => cell?.querySelector("title").textContent;
const box = (cell) => cell.querySelector("rect").getBoundingClientRect();
const onlyTabStop = (next) => { for (const cell of cellsIn()) cell.tabIndex = cell === next ? 0 : -1; };
onlyTabStop(cellsIn()[0]);

function neighbour(cell, key) {
    const here = box(cell);
    const side = (other) => ({
        ArrowDown: other.top > here.top + 4 && other.left >= here.left - 1 && other.right <= here.right + 1,
        ArrowUp: other.top < here.top - 4 && other.left <= here.left + 1 && other.right >= here.right - 1,
        ArrowRight: Math.abs(other.top - here.top) < 4 && other.left >= here.right - 1,
        ArrowLeft: Math.abs(other.top - here.top) < 4 && other.right <= here.left + 1,
    })[key];
    const found = cellsIn().filter((other) => other !== cell && side(box(other)));
    const distance = (other) =>
        Math.abs(box(other).top - here.top) * 10 + Math.abs(box(other).left - here.left);
    return found.sort((left, right) => distance(left) - distance(right))[0];
}

function focusCell(next) {
    onlyTabStop(next);
    next.focus();
}

// Moves among the cells that a search has marked, from the last one to the first. Folded system frames and cells for
// what is not drawn open.
const foundIn = (cells) => cells.filter((cell) => cell.querySelector(".found"));
async function focusFound(step) {
    const found = foundIn(cellsIn());
    if (found.length === 0) return;
    const at = found.indexOf(document.activeElement);
    const next = found.at((at < 0 && step < 0 ? at + 1 + step : at + step) % found.length);
    focusCell(next);
    if (!next.querySelector(".chain, .omitted")) return;
    const known = new Set(found.map(titleOf));
    await show(hrefOf(next));
    const opened = foundIn(cellsIn());
    const first = opened.find((cell) => !known.has(titleOf(cell))) ?? opened[0];
    if (first) focusCell(first);
}

document.addEventListener("keydown", (event) => {
    const cell = event.target.closest(".icicle a");
    const next = event.key.startsWith("Arrow") && cell ? neighbour(cell, event.key) : undefined;
    if (!next) return;
    event.preventDefault();
    focusCell(next);
});

// Links that change a picture replace the content of the page, so that it does not scroll.
const controls = () => [...document.querySelectorAll(".controls:has(input[name=q]) a")];
let shownAddress = location.href.split("#")[0];

// Returns the finished request for a page.
function load(address) {
    return new Promise((resolve) => {
        const request = new XMLHttpRequest();
        request.open("GET", address);
        request.setRequestHeader("Accept", "text/html");
        request.responseType = "document";
        request.onloadend = () => resolve(request);
        request.send();
    });
}

async function show(address, isNew = true) {
    const page = (await load(address)).response;
    const main = page?.querySelector("main:has(.icicle)");
    // For example an error, or the page for signing in.
    if (!main) {
        location.href = address;
        return;
    }
    const title = titleOf(document.activeElement?.closest(".icicle a"));
    const position = controls().indexOf(document.activeElement);
    const top = scrollY;
    document.querySelector("main").replaceWith(document.adoptNode(main));
    document.title = page.title;
    if (isNew) history.pushState(null, "", address);
    shownAddress = location.href.split("#")[0];
    scrollTo(0, top);
    const cells = cellsIn();
    const cell = cells.find((other) => titleOf(other) === title) ?? cells[0];
    onlyTabStop(cell);
    if (title !== undefined || position >= 0) (controls()[position] ?? cell).focus({ preventScroll: true });
}

document.addEventListener("click", (event) => {
    const link = event.target.closest("a");
    const changesPicture = link && (link.closest(".icicle") || controls().includes(link));
    if (!changesPicture || event.button > 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    show(hrefOf(link));
});
addEventListener("popstate", () => {
    if (location.href.split("#")[0] !== shownAddress) show(location.href, false);
});

// A permalink opens the folds around its row. If a remembered view has no rows, it leads to the view with them.
function openTarget() {
    const stacks = document.querySelector("[data-choice='View stack']:not([aria-current])");
    if (stacks && /^#t\d+(f\d+)?$/.test(location.hash)) return location.replace(hrefOf(stacks) + location.hash);
    const target = location.hash && document.getElementById(location.hash.slice(1));
    for (let fold = target && target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
        fold.open = true;
    }
    if (target) target.scrollIntoView({ block: "center" });
}
addEventListener("hashchange", openTarget);
openTarget();

// Rows and groups are compared by what they are about, and everything else by its position.
const keyOf = ({ dataset, className }) => dataset?.group ?? (dataset?.image && `${dataset.image} ${className}`);

// Identifiers in rows and groups are numbers, which change when others leave.
const hasKey = (node) => Boolean(node.closest("[data-group], [data-image]"));

// Removes rows and groups that another element does not have, or has in another order, and adds its new ones.
function updateKeyed(element, other) {
    const wanted = [...other.children].filter(keyOf);
    const keys = new Set(wanted.map(keyOf));
    for (const child of [...element.children]) if (keyOf(child) && !keys.has(keyOf(child))) child.remove();
    for (const [index, child] of [...other.childNodes].entries()) {
        const old = element.childNodes[index];
        if (!keyOf(child) || old && keyOf(old) === keyOf(child)) continue;
        [...element.children].find((moved) => keyOf(moved) === keyOf(child))?.remove();
        element.insertBefore(document.importNode(child, true), element.childNodes[index] ?? null);
    }
}

// Makes an element equal to another one. What both have is kept, with its focus and its open folds.
function update(element, other) {
    const names = new Set([...element.getAttributeNames(), ...other.getAttributeNames()]);
    names.delete("open");
    for (const name of names) {
        const value = other.getAttribute(name);
        if (value === null) element.removeAttribute(name);
        else if (value !== element.getAttribute(name)) element.setAttribute(name, value);
    }
    updateKeyed(element, other);
    const children = [...other.childNodes];
    for (const [index, child] of children.entries()) {
        const old = element.childNodes[index];
        if (!old) element.append(document.adoptNode(child));
        else if (old.nodeName !== child.nodeName || old.id !== child.id && !hasKey(old)) old.replaceWith(document.adoptNode(child));
        else if (child.nodeType === Node.ELEMENT_NODE) update(old, child);
        else if (old.data !== child.data) old.data = child.data;
    }
    while (element.childNodes.length > children.length) element.lastChild.remove();
}

// A page that waits for symbols has its state in an attribute. A report reloads when its state changes, unless it is in
// use. A live page takes over the content of each newer version of itself.
let isSending = false;
const counted = (count) => `${count.toLocaleString("en")} ${count === 1 ? "diagnostic" : "diagnostics"}`;
const stateOf = (page) => page?.querySelector("[data-state]")?.dataset.state ?? "";
const isLive = (page) => Boolean(page?.querySelector("main [data-live]"));
const waits = () => isLive(document) || Boolean(document.querySelector("[data-state]"));
let state = stateOf(document);
// The result of the last check: `same`, `away`, `signed out` or `changed`.
let finding = "same";

const isChanged = (field) => field.value !== undefined && field.value !== field.defaultValue;
// Whether a reload would lose the reader's position, selection, folds or typed text.
const isInUse = () => scrollY > 0 || hasFolded || !getSelection().isCollapsed
    || [...document.querySelectorAll("input, textarea")].some((field) => field === document.activeElement || isChanged(field));

async function check() {
    if (document.hidden || isSending) return;
    const address = location.href.split("#")[0];
    const { status: code, response: page, responseURL } = await load(address);
    if (isSending) return;
    const before = finding;
    if (code === 0 || code === 503) finding = "away";
    else if (code !== 200) return;
    else if (responseURL !== address) finding = "signed out";
    else finding = isLive(document) || stateOf(page) === state ? "same" : "changed";
    // Everything is said once, and an offer again if another message replaced it.
    const isReplaced = finding !== "same" && offered && !offered.isConnected;
    if (finding !== before || isReplaced) tell(finding, responseURL);
    if (finding === "same" && isLive(document)) takeOver(page);
}

function tell(finding, address) {
    offered = null;
    if (finding === "same") return say("");
    if (finding === "away") return say("The service does not respond. This page continues when it does.");
    if (finding === "signed out") return offerSignIn("You are signed out, so this page is no longer updated.", address);
    if (!isInUse()) return reload("");
    offer("Symbols have arrived.", "Show", () => reload(""));
}

function takeOver(page) {
    const text = served(state, stateOf(page));
    const focused = document.activeElement;
    update(document.querySelector("main"), page.querySelector("main"));
    state = stateOf(document);
    // The focus must not be lost with a row that has left.
    const title = document.querySelector("h1");
    title.tabIndex = -1;
    if (!focused.isConnected) title.focus({ preventScroll: true });
    if (text) say(text);
}

// What the images that left the list of missing ones changed. The state of the list is `UUID:37 UUID:3`.
function served(before, after) {
    if (location.pathname !== `${prefix}/missing` || document.querySelector("a[rel=next], a[rel=prev]")) return "";
    const left = before.split(" ").map((image) => image.split(":")).filter(([image]) => !after.includes(image));
    const counts = left.map(([, count]) => Number(count));
    if (counts.length === 0) return "";
    // A diagnostic may have waited for several images.
    return `${counts.length > 1 ? "At least " : ""}${counted(Math.max(...counts))} became readable.`;
}

// Checks again a while after each answer, and later if the answer was slow.
async function follow() {
    const start = performance.now();
    try { await check(); } finally {
        if (waits()) setTimeout(follow, Math.max(5000, 4 * (performance.now() - start)));
    }
}
if (waits()) setTimeout(follow, 5000);

// Dropping. The browser reads nothing; it sends each dropped file or folder as one form.
const entriesIn = async (folder) => {
    const reader = folder.createReader();
    const all = [];
    for (;;) {
        const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
        if (some.length === 0) return all;
        all.push(...some);
    }
};

async function filesOf(entry) {
    if (entry.isFile) {
        const file = await new Promise((resolve, reject) => entry.file(resolve, reject));
        return [{ file, path: entry.fullPath.replace(/^\//, "") }];
    }
    const found = [];
    for (const child of await entriesIn(entry)) found.push(...await filesOf(child));
    return found;
}

const megabytes = (count) => (count / 1e6).toLocaleString("en", { maximumFractionDigits: 1 });

async function mayBeSent(bytes) {
    if (bytes <= 16 << 20) return;
    const response = await fetch(`${prefix}/drop/ask`, {
        method: "POST", headers: { Accept: "application/json" }, body: JSON.stringify({ bytes }),
    });
    if (!response.ok) throw new SendError(response.status, await response.json().catch(() => null));
}

// Why files were not sent. The sign-in may have expired since the page was loaded.
class SendError extends Error {
    constructor(status, answer) {
        super(status === 401 ? "you are signed out" : answer?.error?.message ?? `status ${status}`);
        this.isSignedOut = status === 401;
    }
}

// The service compares the symbols with the report on the screen, and with the image that they were dropped on.
const reportShown = () => location.pathname.match(/\/r\/([0-9a-f]{32})$/)?.[1];
function context(image) {
    const query = new URLSearchParams();
    const number = new URLSearchParams(location.search).get("report");
    if (reportShown()) query.set("report", reportShown());
    if (reportShown() && number) query.set("number", number);
    if (image) query.set("image", image);
    return query;
}

function send({ name, files, text }, image) {
    const form = new FormData();
    for (const field of document.querySelectorAll("form.drop fieldset input")) {
        if (field.value) form.append(field.name, field.value);
    }
    for (const { file, path } of files) form.append("file", file, path);
    if (text) form.append("text", text);
    return new Promise((resolve, reject) => {
        const request = new XMLHttpRequest();
        const start = performance.now();
        let quarters = -1;
        request.open("POST", `${prefix}/drop?${context(image)}`);
        request.setRequestHeader("Accept", "application/json");
        request.upload.onprogress = ({ loaded, total }) => {
            const rate = megabytes(loaded * 1_000 / Math.max(performance.now() - start, 1));
            const share = loaded / Math.max(total, 1);
            const isMilestone = Math.floor(4 * share) > quarters;
            quarters = Math.floor(4 * share);
            showProgress(
                `${name}: ${megabytes(loaded)} of ${megabytes(total)} MB sent, ${rate} MB/s`, share,
                isMilestone ? `${name}: ${25 * quarters} % of ${megabytes(total)} MB sent` : "");
        };
        request.upload.onload = () => say(`${name}: being read`);
        request.onerror = () => reject(new Error("the service cannot be reached"));
        request.onload = () => {
            let answer = null;
            try { answer = JSON.parse(request.responseText); } catch { /* an error of a proxy */ }
            if (request.status === 200 && answer) resolve(answer);
            else reject(new SendError(request.status, answer));
        };
        request.send(form);
    });
}

async function sendRoot(root, image) {
    await mayBeSent(root.files.reduce((sum, { file }) => sum + file.size, 0));
    return send(root, image);
}

// The results in one answer. Reports beyond the first ones are one result.
function resultsOf(answer) {
    const rest = answer.reports - answer.report_pages.length;
    return [
        ...answer.report_pages.map((report) => ({ ...report, status: "report" })),
        ...rest > 0 ? [{ name: `${rest} more`, status: "report", location: answer.location }] : [],
        ...answer.files,
        ...answer.not_read.map((name) => (
            { name, status: "not read", reason: "neither a report nor symbols", location: answer.location })),
    ];
}

async function sendAll(roots, image) {
    isSending = true;
    const answers = [];
    const problems = [];
    let isSignedOut = false;
    const queue = roots.filter(({ files, text }) => files.length > 0 || text);
    const work = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) {
            try { answers.push(await sendRoot(next, image)); } catch (error) {
                isSignedOut ||= error.isSignedOut;
                problems.push({ name: next.name, status: "not sent", reason: error.message });
            }
        }
    };
    await Promise.all([work(), work()]);
    isSending = false;
    const results = [...answers.flatMap(resultsOf), ...problems];
    // The reports of one file or folder are shown at once.
    if (answers.length === 1 && results.length > 0 && results.every(({ status }) => status === "report")) {
        location.href = answers[0].location;
        return;
    }
    const messages = answers.map((answer) => answer.message ?? "").join(" ").trim();
    const failures = problems.map(({ name, reason }) => `${name}: ${reason}`).join("; ");
    const count = results.length === 1 ? "1 result." : `${results.length} results.`;
    const text = failures || messages || (results.length === 0 ? "No report or symbols were found." : count);
    const showsReports = state !== undefined || reportShown();
    const hasSymbols = answers.some((answer) => answer.files.length > 0);
    if (showsReports && hasSymbols && !isSignedOut) return reload(text, results);
    if (isSignedOut) {
        const here = new URLSearchParams({ return: location.pathname + location.search });
        offerSignIn("You are signed out, so some files were not sent. Send them again after signing in.", `${prefix}/sign-in?${here}`);
    } else say(text);
    showResults(results);
}

// Text can be dragged into fields.
function hasFiles(event) { return event.dataTransfer.types.includes("Files"); }

addEventListener("beforeunload", (event) => { if (isSending) event.preventDefault(); });
addEventListener("dragover", (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    root.classList.add("dropping");
});
addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) root.classList.remove("dropping");
});
addEventListener("drop", async (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    root.classList.remove("dropping");
    const image = (event.target.closest("[data-image]") ?? document.querySelector("h1[data-image]"))?.dataset.image;
    // Entries are gone after the first await.
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
    const loose = entries.length > 0 ? [] : [...event.dataTransfer.files];
    if (entries.length + loose.length === 0) return;
    say("Reading the dropped files");
    const roots = loose.map((file) => ({ name: file.name, files: [{ file, path: file.name }] }));
    try {
        for (const entry of entries) roots.push({ name: entry.name, files: await filesOf(entry) });
    } catch {
        return say("The browser could not read the dropped files.");
    }
    await sendAll(roots, image);
});

document.querySelector("form.drop")?.addEventListener("submit", (event) => {
    const chosen = [...event.target.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files]);
    const text = event.target.elements.text.value;
    event.preventDefault();
    const files = chosen.map((file) => ({ file, path: file.webkitRelativePath || file.name }));
    if (files.length === 0 && !text) return say("Choose files or paste a report first.");
    const name = files.length === 0 ? "Pasted text" : files.length === 1 ? files[0].path : `${files.length} files`;
    sendAll([{ name, files, text }]);
});

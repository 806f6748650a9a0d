"""A real drop, with the events that the browser gives a page."""


def drop(page, *paths):
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": list(paths), "dragOperationsMask": 1}
    for kind in ["dragEnter", "dragOver", "drop"]:
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 200, "y": 200, "data": data})

"""A real drop, with the events that the browser gives a page."""


def drop(page, path):
    session = page.context.new_cdp_session(page)
    data = {"items": [], "files": [path], "dragOperationsMask": 1}
    for kind in ["dragEnter", "dragOver", "drop"]:
        session.send("Input.dispatchDragEvent", {"type": kind, "x": 200, "y": 200, "data": data})

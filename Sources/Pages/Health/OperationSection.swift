import CallStacks
import HTMLText
import StackRendering

/// The queue, the exporters and the store.
struct OperationSection {
    let state: OperationState
    let now: UnixTime

    func write(to html: inout HTMLWriter) {
        html.element("dl", [.class("facts")]) { html in
            html.fact("Queue", text(of: state.queue))
            html.fact(
                "Worker",
                state.workerBytes == 0
                    ? "up to date" : "\(byteText(state.workerBytes)) to process")
            html.fact("Symbols", byteText(state.symbolBytes))
            if let free = state.freeBytes { html.fact("Free disk space", byteText(free)) }
        }
        html.element("h2", text: "Exporters")
        guard !state.exporters.isEmpty else {
            return html.element(
                "p",
                text: "No exporter is configured: received records are stored and shown here only.")
        }
        let columns = ["Exporter", "State", "Waiting", "Last success", "Dead letters"]
        ListTable(name: "Exporters", columns: columns).write(to: &html) { html in
            for exporter in state.exporters { write(exporter, to: &html) }
        }
    }

    private func write(_ exporter: OperationState.Exporter, to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.cell(exporter.name)
            html.element("td") { writeState(of: exporter, to: &$0) }
            html.element("td", text: text(of: exporter.waiting))
            html.element("td") { html in
                guard let time = exporter.lastSuccess else { return html.text("none since start") }
                TimeText(time: time, now: now).write(to: &html)
            }
            html.count(exporter.deadLetters)
        }
    }

    private func writeState(of exporter: OperationState.Exporter, to html: inout HTMLWriter) {
        let (word, badge) =
            switch exporter.state {
            case .ok: ("ok", "good")
            case .retrying(let attempts): ("retrying, attempt \(attempts + 1)", "warn")
            case .notConfigured: ("not configured", "bad")
            }
        html.element("strong", [.class("badge", badge)], text: word)
        guard let error = exporter.lastError else { return }
        html.text(exporter.state == .ok ? " last error " : " ")
        if let time = exporter.lastErrorTime {
            TimeText(time: time, now: now).write(to: &html)
            html.text(": ")
        }
        html.name(error)
    }

    /// `3 requests, 12 kB, oldest 5 min ago`
    private func text(of waiting: OperationState.Waiting) -> String {
        guard waiting.count > 0 else { return "empty" }
        var parts = [counted(waiting.count, "request"), byteText(waiting.bytes)]
        if let oldest = waiting.oldest {
            parts.append("oldest \(TimeText(time: oldest, now: now).age)")
        }
        return parts.joined(separator: ", ")
    }
}

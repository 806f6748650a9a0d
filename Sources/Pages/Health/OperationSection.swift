import CallStacks
import HTMLText
import StackRendering

/// The queue, the exporters and the store.
struct OperationSection {
    let state: OperationState
    let now: UnixTime

    func write(to html: inout HTMLWriter) {
        html.element("dl", [.class("facts")]) { html in
            writeQueue(to: &html)
            html.fact("Worker", workerText)
            html.fact("Store", storeText)
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

    private func writeQueue(to html: inout HTMLWriter) {
        let share = Double(state.queue.bytes) / Double(max(state.queueLimit, 1))
        html.element("div") { html in
            html.element("dt", text: "Queue")
            html.element("dd") { html in
                html.meter(share, style: "meter")
                let isEmpty = state.queue.count == 0
                html.text(
                    isEmpty
                        ? " empty, at most \(byteText(state.queueLimit))"
                        : " \(text(of: state.queue)), at most \(byteText(state.queueLimit))")
            }
        }
    }

    private var workerText: String {
        guard state.worker.count > 0 else { return "up to date" }
        let seconds = state.worker.oldest.map { max(now.seconds - $0.seconds, 0) }
        let age = seconds.map { ", \($0 < 60 ? "\(Int($0)) s" : "\(Int($0) / 60) min") behind" }
        return "\(byteText(state.worker.bytes)) to process\(age ?? "")"
    }

    /// `database 410 MB, symbols 610 MB, indexes 180 MB; free 77 GB; diagnostics kept 30 d`
    private var storeText: String {
        let store = state.store
        var parts = [
            "database \(byteText(store.databaseBytes)), symbols \(byteText(store.symbolBytes)), "
                + "indexes \(byteText(store.indexBytes))"
        ]
        if let free = store.freeBytes { parts.append("free \(byteText(free))") }
        let days = store.keptSeconds / 86_400
        let age = days > 0 ? "\(days) d" : "\(store.keptSeconds / 3_600) h"
        parts.append("diagnostics kept \(age)")
        return parts.joined(separator: "; ")
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

public import CallStacks
import HTMLText
import StackRendering

/// The health of the service: its readiness, the queue, the exporters, and the dead letters.
public struct HealthPage: Sendable {
    /// The reasons why the service refuses requests; empty if it is ready.
    public var problems: [String] = []
    /// The queue, the exporters and the store, or `nil` for a user who may see only one app.
    public var state: OperationState?
    /// The numbers of diagnostics of the last 24 hours, by status.
    public var recent: [SymbolicatedDiagnostic.Status: Int] = [:]
    /// The newest versions with diagnostics.
    public var coverage: [VersionCoverageRow] = []
    /// The dead letters, which are shown with ``state``.
    public var letters: [DeadLetterRow] = []
    /// Whether there are more letters than those shown.
    public var isTruncated = false
    public var canResend = false
    /// The result of a resend.
    public var result: ResendResult?
    public var now: UnixTime

    public init(now: UnixTime) { self.now = now }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .health).page(title: "Health") { html in
            // The page refreshes itself while it is open.
            html.element("h1", [HTMLAttribute("data-live", isSet: true)], text: "Health")
            if let result { html.element("p", [.class("remedy")]) { $0.name(result.text) } }
            writeState(to: &html)
            if let state {
                OperationSection(state: state, now: now).write(to: &html)
                writeLetters(to: &html, context)
            }
            html.element("h2", text: "Last 24 hours")
            html.element("p", text: recentText)
            VersionCoverageTable(rows: coverage).write(to: &html, context)
        }
    }

    /// `1,204 symbolicated, 31 partial, 111 raw`
    private var recentText: String {
        guard recent.values.contains(where: { $0 > 0 }) else { return "No diagnostic arrived." }
        let counts = SymbolicatedDiagnostic.Status.allCases.map {
            "\(grouped(recent[$0] ?? 0)) \($0.rawValue)"
        }
        return counts.joined(separator: ", ")
    }

    private func writeLetters(to html: inout HTMLWriter, _ context: PageContext) {
        html.element("h2", text: "Dead letters")
        guard !letters.isEmpty else {
            return html.element("p", text: "No exporter has permanently rejected a record.")
        }
        if isTruncated {
            html.element("p", [.class("note")], text: "Only the oldest letters are shown.")
        }
        DeadLetterSection(letters: letters, canResend: canResend, now: now).write(
            to: &html, context)
    }

    private func writeState(to html: inout HTMLWriter) {
        html.element("p") { html in
            html.element(
                "strong", [.class("badge", problems.isEmpty ? "good" : "bad")],
                text: problems.isEmpty ? "ready" : "not ready")
            html.text(problems.isEmpty ? " Telemetry is accepted." : " ")
            if !problems.isEmpty { html.name(problems.joined(separator: "; ")) }
        }
    }
}

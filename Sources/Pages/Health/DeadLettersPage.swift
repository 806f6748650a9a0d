public import CallStacks
import HTMLText
import StackRendering

/// The dead letters of one exporter that were refused for the same reason, one by one.
public struct DeadLettersPage: Sendable {
    public struct Letter: Hashable, Sendable {
        public var id: Int64
        /// `logs`, `traces` or `metrics`.
        public var signal: String
        public var refusal: UnixTime
        public var records: Int
        public var bytes: Int

        public init(id: Int64, signal: String, refusal: UnixTime, records: Int, bytes: Int) {
            self.id = id
            self.signal = signal
            self.refusal = refusal
            self.records = records
            self.bytes = bytes
        }
    }

    /// The summary of all these letters.
    public var row: DeadLetterRow
    /// One page of the letters, oldest first.
    public var letters: [Letter] = []
    public var neighbours = PageNeighbours()
    public var canResend = false
    public var now: UnixTime

    public init(row: DeadLetterRow, now: UnixTime) {
        self.row = row
        self.now = now
    }

    public func page(in context: PageContext) -> [UInt8] {
        PageShell(context, section: .health).page(title: "Dead letters") { html in
            html.element("h1") { html in
                html.text("\(counted(row.letters, "dead letter")) of ")
                html.name(row.exporter)
            }
            html.element("p") { html in
                html.text("Refused: ")
                html.name(row.reason)
            }
            DeadLetterForm(row: row, canResend: canResend).write(to: &html, context)
            ListTable(
                name: "Letters", columns: ["Letter", "Signal", "Refused", "Records", "Size"]
            ).write(to: &html) { html in
                for letter in letters { write(letter, to: &html) }
            }
            neighbours.write(
                to: &html, segments: ["health", "dead-letters", "\(row.firstID)"], query: [],
                words: .positions, context)
            html.element("p") { html in
                html.element("a", [.href(context.link("health"))], text: "Health")
            }
        }
    }

    private func write(_ letter: Letter, to html: inout HTMLWriter) {
        html.element("tr") { html in
            html.element("td", text: "\(letter.id)")
            html.element("td", text: letter.signal)
            html.element("td") { TimeText(time: letter.refusal, now: now).write(to: &$0) }
            html.count(letter.records)
            html.element("td", [.class("count")], text: byteText(Int64(letter.bytes)))
        }
    }
}

import CallStacks
import JSONText
import Logging

/// A log line, without its line break.
struct LogLine {
    /// The maximum length of a line with its line break, in bytes: `PIPE_BUF` on Linux, up to which
    /// writes to a pipe are atomic, so that lines of several processes never mix.
    static let bytesLimit = 4_096
    /// The length to which the message of a longer line is truncated, in bytes. A byte takes up to
    /// six in JSON.
    static let cutMessageBytes = 600

    var time: UnixTime
    var level: Logger.Level
    /// The name of the logger, such as `symbolist.ingest`.
    var label: String
    var message: String
    var metadata: [String: String]

    /// Returns the line as bytes. A line beyond ``bytesLimit`` keeps the start of its message,
    /// followed by `…`, without metadata.
    func bytes(as format: LogFormat) -> [UInt8] {
        let whole = rendered(as: format)
        if whole.count <= Self.bytesLimit { return whole }
        var cut = self
        cut.metadata = [:]
        cut.label = label.beginning(bytes: 100)
        cut.message = message.beginning(bytes: Self.cutMessageBytes) + "…"
        return cut.rendered(as: format)
    }

    private func rendered(as format: LogFormat) -> [UInt8] {
        switch format {
        case .text: Array((text + "\n").utf8)
        case .json: json + [UInt8(ascii: "\n")]
        }
    }

    /// The line as text: `2026-01-31T09:30:00.125Z warning symbolist.ingest: message key=value`.
    private var text: String {
        let metadata = metadata.sorted { $0.key < $1.key }.map { key, value in
            " \(key.onOneLine)=\(value.quotedIfNeeded)"
        }
        return
            "\(time.iso8601(includesMilliseconds: true)) \(level) \(label.onOneLine): \(message.onOneLine)"
            + metadata.joined()
    }

    private var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        let fields = [
            ("timestamp", time.iso8601(includesMilliseconds: true)), ("level", level.rawValue),
            ("logger", label),
            ("message", message),
        ]
        for (key, value) in fields {
            writer.key(key)
            writer.string(value)
        }
        if !metadata.isEmpty {
            writer.key("metadata")
            writer.beginObject()
            for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
                writer.key(key)
                writer.string(value)
            }
            writer.endObject()
        }
        writer.endObject()
        return writer.bytes
    }
}

extension String {
    /// Returns the longest prefix of whole characters that fits.
    func beginning(bytes limit: Int) -> String {
        var beginning = UnicodeScalarView()
        var byteCount = 0
        for scalar in unicodeScalars {
            byteCount += UTF8.width(scalar)
            if byteCount > limit { break }
            beginning.append(scalar)
        }
        return String(beginning)
    }

    /// The text without control characters, which could start a new line or move a terminal's
    /// cursor.
    fileprivate var onOneLine: String {
        var text = UnicodeScalarView()
        for scalar in unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control
            text.append(isControl ? (scalar == "\n" ? " " : "\u{fffd}") : scalar)
        }
        return String(text)
    }

    /// The value, in quotes if it could be read as several words.
    fileprivate var quotedIfNeeded: String {
        let text = onOneLine
        guard text.isEmpty || text.contains(where: { " \"=".contains($0) }) else { return text }
        let escaped = text.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }
        return "\"\(escaped.joined())\""
    }
}

import CallStacks
import ReportFormats

/// A message written by the program's author. Redaction of the message keeps the runtime's text
/// around it:
///
///     Cart.swift:4: Fatal error: redacted
///     *** Terminating app due to uncaught exception 'NSRangeException', reason: 'redacted'
///     thread 'main' panicked at 'redacted', src/main.rs:4:5
///     panic: redacted
///       what():  redacted
struct MessageRedaction {
    let text: ArraySlice<UInt8>
    /// Whether the text is a line of a log, in which a prefix may precede the runtime's text.
    var isLogLine = false

    private static let failures = [": Fatal error", ": Precondition failed", ": Assertion failed"]
        .map { Array($0.utf8) }
    private static let separator = Array(": ".utf8)
    private static let termination = Array(
        "*** Terminating app due to uncaught exception '".utf8)
    private static let reason = Array("', reason: '".utf8)
    private static let quote = UInt8(ascii: "'")

    /// Returns the edits that redact private values, or the whole message at the strict level.
    func edits(_ level: RedactionLevel) -> [Edit] {
        guard level == .strict else { return PrivateText(text: text, isMessage: true).edits }
        let message = messageRange ?? text.startIndex..<text.endIndex
        let before = PrivateText(text: text[..<message.lowerBound]).edits
        let after = PrivateText(text: text[message.upperBound...]).edits
        return before + (message.isEmpty ? [] : [.redaction(message)]) + after
    }

    /// The range of the message in a longer text, or `nil` for any other text.
    var messageRange: Range<Int>? { failure ?? exception ?? rustPanic ?? goPanic ?? rest }

    /// The text after a file and a line number, which are one word.
    private var failure: Range<Int>? {
        let location = text.prefix { !$0.isBlank }.dropLast()
        guard location.last?.isDigit == true,
            let title = Self.failures.first(where: { text[location.endIndex...].starts(with: $0) })
        else { return nil }
        let rest = text[(location.endIndex + title.count)...]
        let isSaid = rest.starts(with: Self.separator)
        return rest.startIndex + (isSaid ? Self.separator.count : 0)..<text.endIndex
    }

    private var exception: Range<Int>? {
        guard text.starts(with: Self.termination) else { return nil }
        let name = text[(text.startIndex + Self.termination.count)...].prefix(while: \.isWordByte)
        guard text[name.endIndex...].starts(with: Self.reason) else { return nil }
        let start = name.endIndex + Self.reason.count
        let end = text.endIndex - (text.last == Self.quote ? 1 : 0)
        return start..<max(start, end)
    }

    /// The quoted text of a panic, in the form before Rust 1.73. Later versions print it on the next
    /// line.
    private var rustPanic: Range<Int>? {
        let mark: String = " panicked at '"
        guard let position = text.position(of: mark),
            isLogLine || text.trimmed.starts(with: "thread '".utf8)
        else { return nil }
        let start = position + mark.utf8.count
        guard let end = text[start...].lastIndex(of: Self.quote) else { return nil }
        return start..<end
    }

    /// The text of a panic in Go, unless it is the runtime's.
    private var goPanic: Range<Int>? {
        let mark: String = "panic: "
        guard let position = position(of: mark) else { return nil }
        let message = text[(position + mark.utf8.count)...]
        return message.starts(with: "runtime error: ".utf8) ? nil : message.indices
    }

    /// The rest of a line after a title of the C++ runtime or of glog.
    private var rest: Range<Int>? {
        for title: String in ["what():", "] Check failed:"] {
            guard let position = position(of: title) else { continue }
            return text[(position + title.utf8.count)...].drop(while: \.isBlank).indices
        }
        return nil
    }

    /// Returns the position of a mark of a runtime, which starts the text unless it is a line of a
    /// log.
    private func position(of mark: String) -> Int? {
        if isLogLine { return text.position(of: mark) }
        let start = text.trimmed
        return start.starts(with: mark.utf8) ? start.startIndex : nil
    }
}

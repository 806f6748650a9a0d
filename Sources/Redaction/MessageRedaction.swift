import CallStacks
import ReportFormats

/// A message written by the program's author. If messages are redacted, the runtime's text around
/// the message stays:
///
///     Cart.swift:4: Fatal error: redacted
///     *** Terminating app due to uncaught exception 'NSRangeException', reason: 'redacted'
struct MessageRedaction {
    let text: ArraySlice<UInt8>

    private static let failures = [": Fatal error", ": Precondition failed", ": Assertion failed"]
        .map { Array($0.utf8) }
    private static let separator = Array(": ".utf8)
    private static let termination = Array(
        "*** Terminating app due to uncaught exception '".utf8)
    private static let reason = Array("', reason: '".utf8)

    /// Returns the edits that redact private values, or the whole message at the strict level.
    func edits(_ level: RedactionLevel) -> [Edit] {
        guard level == .strict else { return PrivateText(text: text, isMessage: true).edits }
        let message = messageRange ?? text.startIndex..<text.endIndex
        let before = PrivateText(text: text[..<message.lowerBound]).edits
        return message.isEmpty ? before : before + [.redaction(message)]
    }

    /// The range of the message in a longer text, or `nil` for any other text.
    var messageRange: Range<Int>? { failure ?? exception }

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
        let end = text.endIndex - (text.last == UInt8(ascii: "'") ? 1 : 0)
        return start..<max(start, end)
    }
}

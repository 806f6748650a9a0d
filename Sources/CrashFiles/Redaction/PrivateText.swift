import CallStacks

/// Something private that is told by how it is written.
protocol PrivatePattern {
    /// The changes that leave it out, ascending and none overlapping another.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    static func edits(in text: ArraySlice<UInt8>) -> [Edit]
}

/// A text of which private parts are left out.
struct PrivateText {
    let text: ArraySlice<UInt8>
    /// Whether it is a message that somebody composed, where long numbers are private too.
    var isMessage = false

    /// The changes of the text, ascending and none overlapping another.
    var edits: [Edit] {
        let secrets = MailPattern.edits(in: text) + TokenPattern.edits(in: text)
        return (PathPattern.edits(in: text) + numbers + secrets).united
    }

    /// The changes of a line that names code. A word with a slash is a path, and any other one is of
    /// a function or an image, which stay as they are.
    var editsOfPaths: [Edit] {
        let secrets = (MailPattern.edits(in: text) + TokenPattern.edits(in: text)).united
        var inPaths: [Edit] = []
        var isInPath = false
        var place = text.startIndex
        for edit in secrets {
            for byte in text[place..<edit.range.lowerBound] {
                isInPath = byte == .slash || (isInPath && !byte.isBlank)
            }
            place = edit.range.lowerBound
            if isInPath { inPaths.append(edit) }
        }
        return (PathPattern.edits(in: text) + inPaths).united
    }

    private var numbers: [Edit] { isMessage ? NumberPattern.edits(in: text) : [] }

    /// The text without its private parts.
    static func redacted(_ text: String, isMessage: Bool = false) -> String {
        let bytes = Array(text.utf8)
        let edits = Self(text: bytes[...], isMessage: isMessage).edits
        return edits.isEmpty ? text : String(decoding: edits.applied(to: bytes), as: UTF8.self)
    }
}

extension Edit {
    private static let placeholder = Array(RedactionLevel.placeholder.utf8)

    static func redaction(_ range: Range<Int>) -> Edit { Edit(range, placeholder) }
}

extension [Edit] {
    /// Ascending, and with one change for those that overlap, so that none of them is left out.
    fileprivate var united: [Edit] {
        var united: [Edit] = []
        for edit in sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
            guard let last = united.last, last.range.upperBound > edit.range.lowerBound else {
                united.append(edit)
                continue
            }
            let end = Swift.max(last.range.upperBound, edit.range.upperBound)
            if end > last.range.upperBound {
                united[united.count - 1] = .redaction(last.range.lowerBound..<end)
            }
        }
        return united
    }
}

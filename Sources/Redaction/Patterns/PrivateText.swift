import CallStacks
import ReportFormats

/// A kind of private value that is recognised by its form.
protocol PrivatePattern {
    /// Returns the edits that redact it, ascending, without overlaps.
    ///
    /// - Complexity: O(*n*) in the length of the text.
    static func edits(in text: ArraySlice<UInt8>) -> [Edit]
}

/// A text with private values to redact.
struct PrivateText {
    let text: ArraySlice<UInt8>
    /// Whether it is a message written by the program's author, in which long numbers are private
    /// too.
    var isMessage = false

    /// The edits of the text, ascending, without overlaps.
    var edits: [Edit] {
        (PathPattern.edits(in: text) + numbers + secrets).united
    }

    private var secrets: [Edit] {
        EmailPattern.edits(in: text) + CredentialPattern.edits(in: text)
            + UserInfoPattern.edits(in: text) + WebTokenPattern.edits(in: text)
    }

    /// The edits of a line that contains code names. A word with a slash is a path; any other is a
    /// function or image, and stays unchanged.
    var editsOfPaths: [Edit] {
        let secrets = secrets.united
        var inPaths: [Edit] = []
        var isInPath = false
        var position = text.startIndex
        for edit in secrets {
            for byte in text[position..<edit.range.lowerBound] {
                isInPath = byte == .slash || (isInPath && !byte.isBlank)
            }
            position = edit.range.lowerBound
            if isInPath { inPaths.append(edit) }
        }
        return (PathPattern.edits(in: text) + inPaths).united
    }

    private var numbers: [Edit] { isMessage ? NumberPattern.edits(in: text) : [] }

    /// Returns the text with its private values redacted.
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
    /// The edits in ascending order. Overlapping ones are merged, so that none of them is dropped.
    var united: [Edit] {
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

/// Returns text of unknown origin in a form that is safe to show on one line.
///
/// Names come from payloads and debug files. A line break in one would forge a frame, an escape
/// sequence would control the reader's terminal, and a bidirectional override would reorder the
/// line. White space becomes a blank, and every other such character becomes U+FFFD.
package func shown(_ text: String, limit: Int = shownCharactersLimit) -> String {
    // Nearly all names are short and plain, and checking that is fast.
    if text.utf8.count <= limit, isPlain(text) { return text }
    let isClean = text.unicodeScalars.allSatisfy { !isControl($0) }
    let isShort = text.utf8.count <= limit || text.count <= limit
    if isClean, isShort { return text }
    var kept = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
        let blank: Unicode.Scalar = scalar.properties.isWhitespace ? " " : "\u{fffd}"
        kept.append(isControl(scalar) ? blank : scalar)
    }
    let clean = String(kept)
    return clean.count <= limit ? clean : clean.prefix(limit) + "…"
}

/// The maximum number of characters of a name; longer ones are truncated with `…`.
package let shownCharactersLimit = 1024

/// Whether a character affects the lines around it instead of being visible.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x061c, 0x200b...0x200f, 0x2028...0x202e, 0x2060...0x2064,
        0x2066...0x2069, 0xfeff, 0xe0000...0xe007f:
        true
    default: false
    }
}

package func padded(_ text: String, to width: Int) -> String {
    return text + blanks(paddingCount(of: text, to: width))
}

/// Returns the number of blanks that follow a text in a column; negative for a longer text.
func paddingCount(of text: String, to width: Int) -> Int {
    width - (isPlain(text) ? text.utf8.count : text.count)
}

/// Whether a text has only visible ASCII characters and blanks.
private func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8.span
    for index in bytes.indices where !(0x20..<0x7f).contains(bytes[index]) { return false }
    return true
}

/// Returns blanks, or an empty string if `count` is negative.
func blanks(_ count: Int) -> String {
    if count < fewBlanks.count { return count > 0 ? fewBlanks[count] : "" }
    return String(repeating: " ", count: count)
}

/// Precomputed padding of columns.
private let fewBlanks = (0...40).map { String(repeating: " ", count: $0) }

/// `1 frame`, `12 frames`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

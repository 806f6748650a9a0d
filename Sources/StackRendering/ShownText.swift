/// Text of unknown origin, made fit to be shown on one line.
///
/// Names come from payloads and debug files. A line break in one would forge a frame, an escape
/// sequence would speak to the reader's terminal, and a bidirectional override would show the line
/// in another order than it has. White space becomes a blank, each other such character U+FFFD.
package func shown(_ text: String, limit: Int = shownCharactersLimit) -> String {
    // Nearly all names are short and plain, which is quickly seen.
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

/// Characters of one name that are shown; longer ones end in `…`.
package let shownCharactersLimit = 1024

/// Whether a character acts on the lines around it instead of being seen.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7f..<0xa0, 0x2028...0x202e, 0x2066...0x2069: true
    default: false
    }
}

/// `text`, filled with blanks at the end.
package func padded(_ text: String, to width: Int) -> String {
    return text + blanks(width - (isPlain(text) ? text.utf8.count : text.count))
}

/// Whether each byte of a text is a visible character of ASCII or a blank.
private func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8.span
    for place in bytes.indices where !(0x20..<0x7f).contains(bytes[place]) { return false }
    return true
}

/// So many blanks; none for a number below zero.
func blanks(_ count: Int) -> String {
    if count < fewBlanks.count { return count > 0 ? fewBlanks[count] : "" }
    return String(repeating: " ", count: count)
}

/// Those that columns are filled with, made once.
private let fewBlanks = (0...40).map { String(repeating: " ", count: $0) }

/// `1 frame`, `12 frames`.
package func counted(_ count: some BinaryInteger, _ noun: String) -> String {
    count == 1 ? "1 \(noun)" : "\(count) \(noun)s"
}

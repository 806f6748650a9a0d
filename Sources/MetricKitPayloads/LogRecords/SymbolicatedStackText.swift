extension ReceivedLogRecord {
    /// Whether the stack is a text that Honeycomb's processor has symbolicated.
    public var containsSymbolicatedText: Bool {
        bytes(StackKey.exception).map(SymbolicatedStackText.isOne) ?? false
    }
}

/// Recognises stacks that Honeycomb's `dsym_symbolicator` has symbolicated, which stay unchanged:
///
///     3   Shop Floor   0x00000001025a0758 main (in Shop Floor) (Main.swift:1) + 231256
///     Shop Floor\t\t\t0x38758 main (Main.swift:1) + 4339664728
///
/// The second form is that of MetricKit stacks, in which unresolved lines are `Shop Floor(UUID)
/// +1234`.
enum SymbolicatedStackText {
    /// The number of lines that are examined. Unresolved frames may precede the first resolved one.
    private static let lineLimit = 1_000
    private static let lineBytesLimit = 1 << 16

    static func isOne(_ text: [UInt8]) -> Bool {
        guard let first = text.first(where: { $0 > 0x20 }), first != UInt8(ascii: "{"),
            first != UInt8(ascii: "[")
        else { return false }
        let lines = text.split(separator: UInt8(ascii: "\n"), maxSplits: lineLimit)
        return lines.prefix(lineLimit).contains { isResolved($0) }
    }

    private static func isResolved(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.count <= lineBytesLimit else { return false }
        let text = String(decoding: line, as: UTF8.self)
        guard let sign = text.lastIndex(of: "+"),
            text[sign...].hasPrefix("+ "), text[sign...].dropFirst(2).allSatisfy(\.isNumber),
            text[..<sign].hasSuffix(") "), let parenthesis = text[..<sign].lastIndex(of: "("),
            isSourceLocation(text[parenthesis..<sign].dropFirst().dropLast(2))
        else { return false }
        let head = text[..<parenthesis]
        if head.contains("\t\t\t0x") { return true }
        return head.hasSuffix(") ") && head.contains(" (in ") && head.contains(" 0x")
    }

    /// Whether a text is a path and a line: `Main.swift:1`.
    private static func isSourceLocation(_ text: Substring) -> Bool {
        guard let colon = text.lastIndex(of: ":"), colon != text.startIndex else { return false }
        let line = text[colon...].dropFirst()
        return !line.isEmpty && line.allSatisfy { $0.isASCII && $0.isNumber }
    }
}

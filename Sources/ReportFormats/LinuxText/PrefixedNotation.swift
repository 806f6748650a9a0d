/// A notation whose lines may follow the prefix of a log, such as `web-1  | `.
///
/// The prefix is known from the first line that shows where its own text starts. Lines without it
/// are read as they are.
package struct PrefixedNotation: Hashable, Sendable {
    /// The index in ``LinuxStacks/notations``.
    private let number: Int
    private(set) var prefix = LinePrefix.none

    package init(_ number: Int) { self.number = number }

    /// - Parameter line: The first line of a report, which may have a prefix.
    package init(_ number: Int, after line: ArraySlice<UInt8>) {
        self.number = number
        _ = parse(line)
    }

    package var notation: any StackNotation.Type { LinuxStacks.notations[number] }

    /// Parses a line, or returns `nil` if it is not in the notation. Ranges in the result are those
    /// in the whole line.
    package mutating func parse(_ line: ArraySlice<UInt8>) -> StackLine? {
        if prefix == .none, let (said, start) = notation.lineAfterPrefix(line) {
            prefix = LinePrefix(line.prefix(start))
            return said.moved(by: start)
        }
        let length = prefixLength(in: line)
        return notation.line(NodeBytes(line.dropFirst(length)))?.moved(by: length)
    }

    /// Returns the length of the prefix in a line, or 0 if the line has none.
    func prefixLength(in line: ArraySlice<UInt8>) -> Int { prefix.match(line)?.length ?? 0 }
}

extension StackNotation {
    static func start(of line: ArraySlice<UInt8>) -> Int { 0 }

    /// Whether a line starts a report after the prefix of a log.
    static func beginsAfterPrefix(_ line: ArraySlice<UInt8>) -> Bool {
        let start = start(of: line)
        return start > 0 && begins(line.dropFirst(start))
    }

    /// Parses a line that has a prefix. Its text starts at the returned position.
    fileprivate static func lineAfterPrefix(
        _ line: ArraySlice<UInt8>
    ) -> (line: StackLine, start: Int)? {
        let start = start(of: line)
        guard start <= LinePrefix.lengthLimit, !line.prefix(start).allSatisfy(\.isBlank)
        else { return nil }
        return Self.line(NodeBytes(line.dropFirst(start))).map { ($0, start) }
    }
}

extension StackLine {
    /// Returns the line with its ranges moved by the length of a prefix.
    fileprivate func moved(by length: Int) -> Self {
        guard length > 0, case .frame(var frame) = self else { return self }
        frame.prefixLength = length
        frame.numberRange = frame.numberRange.map {
            $0.lowerBound + length..<$0.upperBound + length
        }
        frame.slot = frame.slot.map { $0.lowerBound + length..<$0.upperBound + length }
        return .frame(frame)
    }
}

extension ArraySlice<UInt8> {
    /// Whether the bytes before a position end as the prefixes of logs do: `web-1  | `,
    /// `shop[417]: `, `[error] `, `stderr F `, `> `, `2026-10-01T07:30:10.1Z `.
    func hasLogPrefix(before position: Int) -> Bool {
        let prefix = self[startIndex..<position].trimmed
        if prefix.last == UInt8(ascii: "Z") { return prefix.dropLast().last?.isDigit == true }
        return ["|", "]:", "]", " F", ">"].contains {
            prefix.suffix($0.utf8.count).elementsEqual($0.utf8)
        }
    }

    /// Returns the first position of a text that follows a log's prefix.
    func position(ofPrefixed text: String) -> Int? {
        position(of: text).flatMap { hasLogPrefix(before: $0) ? $0 : nil }
    }
}

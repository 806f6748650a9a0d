import CallStacks

/// Panics of Rust programs that run with `RUST_BACKTRACE`:
///
///     thread 'main' panicked at src/main.rs:4:5:
///     index out of bounds: the len is 3 but the index is 99
///     stack backtrace:
///        3:     0x55d6f1c1b2a4 - cellar::pour::h2d0c6d2a4e5b1f00
///                                    at /src/main.rs:4:5
///
/// The runtime prints neither modules nor load addresses, so there is nothing to look up and the
/// received names are the result. Errors of anyhow have the same stacks below `Stack backtrace:`.
enum RustNotation: StackNotation {
    static let format = CrashFormat.rustPanic
    static let offsets = OffsetOrigin.image
    static let repeatsAddresses = true
    static let gapLimit = 3

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        head(line) != nil || isBacktrace(line)
    }

    static func start(of line: ArraySlice<UInt8>) -> Int {
        if head(line) != nil, let thread = line.position(of: "thread '") {
            return thread - line.startIndex
        }
        let end = line.trimmed.suffix(backtrace.count + 1)
        return isBacktrace(end) ? end.startIndex - line.startIndex : 0
    }

    static func line(_ line: NodeBytes) -> StackLine? {
        let bytes = line.bytes[...]
        if let head = Self.head(bytes) { return .report(head) }
        if isBacktrace(bytes) { return .stack(name: nil) }
        let start = line.skipBlanks(from: 0)
        if line.begins(with: "at ", at: start), start > 0 {
            return line.sourceLocation(start + 3..<line.count).map {
                .source(StackSourceLine(file: $0.file, line: $0.line, column: $0.column))
            }
        }
        if line.begins(with: "note: ", at: start) { return .end(nil) }
        return frame(line, start).map(StackLine.frame)
    }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String { "" }

    /// The heading of a stack, without its first letter.
    private static let backtrace = Array("tack backtrace:".utf8)

    private static func isBacktrace(_ line: ArraySlice<UInt8>) -> Bool {
        let text = line.trimmed
        return text.dropFirst().elementsEqual(backtrace)
            && (text.first == UInt8(ascii: "s") || text.first == UInt8(ascii: "S"))
    }

    /// Reads the first line of a panic. The message is on the next line, or in older versions on
    /// this one, before the source location.
    private static func head(_ line: ArraySlice<UInt8>) -> StackReportHead? {
        guard let thread = line.position(of: "thread '"),
            let position = line.position(of: " panicked at ", from: thread)
        else { return nil }
        var head = StackReportHead(exception: "panic")
        let rest = line[(position + 13)...].trimmed
        if rest.first == UInt8(ascii: "'"), let end = rest.lastIndex(of: UInt8(ascii: "'")) {
            head.message = rest[(rest.startIndex + 1)..<max(end, rest.startIndex + 1)].text
        }
        return head
    }

    /// Parses `3:     0x55d6f1c1b2a4 - cellar::pour`, with or without the address.
    private static func frame(_ line: NodeBytes, _ start: Int) -> StackFrameLine? {
        let end = line.bytes[start...].firstIndex { !$0.isDigit } ?? line.count
        guard let number = line.decimal(start..<end), number < 1_000_000,
            line.begins(with: ": ", at: end)
        else { return nil }
        var name = line.skipBlanks(from: end + 1)
        var frame = StackFrameLine(number: Int(number), code: StackFrameLine.CodeAddress())
        if let address = line.address(from: name) {
            guard line.begins(with: " - ", at: address.end) else { return nil }
            frame.code.address = address.value
            name = address.end + 3
        }
        // A number without a name is a truncated address.
        guard name < line.count, !line[name].isDigit else { return nil }
        let text = line.text(name..<line.trimmedEnd(name..<line.count))
        guard !text.isEmpty else { return nil }
        if !"<unknown>".hasPrefix(text) { frame.function = ReportedFunction(name: text) }
        return frame
    }
}

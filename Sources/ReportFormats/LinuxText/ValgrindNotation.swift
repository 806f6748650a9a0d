import CallStacks

/// Errors found by Valgrind's tools, whose lines all start with the process:
///
///     ==4711== Invalid write of size 4
///     ==4711==    at 0x109182: ??? (in /src/cellar)
///     ==4711==    by 0x109146: main (Cellar.cpp:114)
///     ==4711==  Address 0x4a40050 is 8 bytes after a block of size 8 alloc'd
///
/// Each error is a report. The address after `at` is the program counter, and Valgrind has already
/// moved those after `by` back into the call. A frame with a source line has no module, so there is
/// nothing to look up.
enum ValgrindNotation: StackNotation {
    static let format = CrashFormat.valgrind
    static let offsets = OffsetOrigin.link
    static let repeatsAddresses = true
    static let gapLimit = 24

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.starts(with: "==".utf8) else { return false }
        let line = NodeBytes(line)
        guard let start = textStart(line) else { return false }
        return frame(line, start) != nil || head(line, start) != nil
    }

    static func start(of line: ArraySlice<UInt8>) -> Int {
        guard let mark = line.position(of: "=="), mark > line.startIndex,
            textStart(NodeBytes(line[mark...])) != nil
        else { return 0 }
        return mark - line.startIndex
    }

    static func line(_ line: NodeBytes) -> StackLine? {
        guard let start = textStart(line) else { return nil }
        if let frame = frame(line, start) { return .frame(frame) }
        if let head = head(line, start) { return .report(head) }
        let text = line.text(start..<line.count).trimmed
        if endings.contains(where: text.hasPrefix) { return .end(nil) }
        // The line between a signal and its stack explains the signal.
        if text.isEmpty || text.contains(" at address 0x") { return .other }
        return .stack(name: text)
    }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String {
        let name = function.function ?? function.mangled ?? "???"
        if let location = function.locationText { return "\(name) (\(location))" }
        return "\(name) (in \(frame.code.module ?? "???"))"
    }

    /// The beginnings of errors, which are followed by a stack.
    static let errors = [
        "Invalid ", "Conditional jump or move ", "Use of uninitialised ", "Syscall param ",
        "Source and destination overlap ", "Mismatched free", "Jump to the invalid address ",
        "Process terminating with ", "Possible data race ",
    ]
    /// The text in the head of a leak: `8 bytes in 1 blocks are definitely lost in loss record 1`.
    static let leak = " blocks are "
    private static let endings = ["HEAP SUMMARY:", "LEAK SUMMARY:", "ERROR SUMMARY:"]

    /// The maximum length of the process, which may follow a time: `00:00:00:02.056 4711`.
    private static let processLength = 40

    /// Returns the end of `==4711==`, or `nil` if the line does not start with it.
    private static func textStart(_ line: NodeBytes) -> Int? {
        guard line.begins(with: "==", at: 0),
            let end = line.first("==", in: 2..<min(line.count, processLength)), end > 2,
            line[end - 1].isDigit,
            line.bytes[2..<end].allSatisfy({ $0.isDigit || ":. ".utf8.contains($0) })
        else { return nil }
        return end + 2
    }

    private static func head(_ line: NodeBytes, _ start: Int) -> StackReportHead? {
        // The lines of other stacks in an error are indented.
        guard line.begins(with: " ", at: start), start + 1 < line.count, !line[start + 1].isBlank
        else { return nil }
        let text = line.text(start..<line.count).trimmed
        let isLeak = line[start + 1].isDigit && text.contains(leak)
        guard isLeak || errors.contains(where: text.hasPrefix) else { return nil }
        guard let signal = text.firstRange(of: "(SIG"), text.hasSuffix(")") else {
            return StackReportHead(exception: "Valgrind", message: text)
        }
        let name = String(text[signal.lowerBound...].dropFirst().dropLast())
        return StackReportHead(message: text, signal: name)
    }

    /// Parses `   at 0x109182: ??? (in /src/cellar)` or `   by 0x109146: main (Cellar.cpp:114)`.
    private static func frame(_ line: NodeBytes, _ start: Int) -> StackFrameLine? {
        let word = line.skipBlanks(from: start)
        let isFirst = line.begins(with: "at ", at: word)
        guard isFirst || line.begins(with: "by ", at: word),
            let colon = line.bytes[(word + 3)...].firstIndex(of: UInt8(ascii: ":")),
            let address = line.hexadecimal(word + 3..<colon)
        else { return nil }
        let first = line.skipBlanks(from: colon + 1)
        guard first < line.count else { return nil }
        var frame = StackFrameLine(
            code: StackFrameLine.CodeAddress(address: address),
            site: isFirst ? .programCounter : .adjusted)
        readCode(line, first..<line.trimmedEnd(first..<line.count), at: address, of: &frame)
        return frame
    }

    /// Reads `??? (in /src/cellar)` or `main (Cellar.cpp:114)`.
    private static func readCode(
        _ line: NodeBytes, _ range: Range<Int>, at address: UInt64, of frame: inout StackFrameLine
    ) {
        var name = range
        if let group = line.group(before: range.upperBound, from: range.lowerBound),
            group.start > range.lowerBound
        {
            name = range.lowerBound..<line.trimmedEnd(range.lowerBound..<group.start)
            if line.begins(with: "in ", at: group.inner.lowerBound) {
                frame.code.module = line.text(group.inner.lowerBound + 3..<group.inner.upperBound)
                frame.code.offset = offset(of: address)
                frame.slot = range
            } else if let location = line.sourceLocation(group.inner) {
                frame.function = ReportedFunction(
                    name: line.text(name), file: location.file, line: location.line,
                    column: location.column)
            } else {
                name = range
            }
        } else if let mark = line.last(" (", in: range) {
            // The line is truncated.
            name = range.lowerBound..<mark
        }
        let text = line.text(name)
        if frame.function == nil, !"???".hasPrefix(text) {
            frame.function = ReportedFunction(name: text)
        }
    }

    /// Returns the offset of an address in a position-independent program, or `nil` if nothing is
    /// known about the load address.
    ///
    /// Valgrind loads such a program 8 pages above 1 MiB (`VG_(load_ELF)`), and nothing else below
    /// 4 MiB, where programs with a fixed address start.
    private static func offset(of address: UInt64) -> UInt64? {
        let base: UInt64 = 0x10_8000
        return (base..<0x40_0000).contains(address) ? address - base : nil
    }
}

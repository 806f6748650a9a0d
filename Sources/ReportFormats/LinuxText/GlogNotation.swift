import CallStacks

/// Stacks printed by the signal handlers and failed checks of glog and Abseil:
///
///     *** SIGSEGV (@0x0) received by PID 4711 (TID 0x7f902accee40) from PID 0; stack trace: ***
///         @     0x7f902b26acfe (unknown)
///         @     0x559ffbe37195 cellar::serve()
///
///     *** SIGSEGV received at time=1795545362 on cpu 1 ***
///     PC: @     0x55c4ab965149  (unknown)  cellar::pour()
///         @     0x55c4ab965170        128  main
///
/// Abseil prints the size of a frame before its function. Neither prints modules or load addresses,
/// so there is nothing to look up and the received names are the result.
enum GlogNotation: StackNotation {
    static let format = CrashFormat.glog
    static let offsets = OffsetOrigin.image
    static let gapLimit = 3

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        frame(NodeBytes(line)) != nil || head(line) != nil
    }

    static func start(of line: ArraySlice<UInt8>) -> Int {
        if let mark = (marks + ["PC: @ "]).lazy.compactMap({ line.position(of: $0) }).first {
            return mark - line.startIndex
        }
        if let check = checkStart(line) { return check - line.startIndex }
        guard let at = line.position(of: "@     "), frame(NodeBytes(line[at...])) != nil
        else { return 0 }
        let before = line[..<at]
        return before.count - min(4, before.reversed().prefix(while: \.isBlank).count)
    }

    static func line(_ line: NodeBytes) -> StackLine? {
        if let frame = Self.frame(line) { return .frame(frame) }
        let bytes = line.bytes[...]
        if let head = Self.head(bytes) { return .report(head) }
        if bytes.starts(with: "*** SIG".utf8) { return .signal(signal(bytes)) }
        let text = bytes.trimmed
        // `@ ... and at least 3 more frames`, or a frame at address 0.
        let isRest = text.starts(with: "@ ".utf8) || text.starts(with: "PC: @ ".utf8)
        return isRest ? .other : nil
    }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String { "" }

    /// The beginnings of lines before a stack. The first is followed by one with the signal.
    private static let marks = ["*** Aborted at ", "*** Check failure stack trace", "*** SIG"]
    private static let check = "] Check failed: "

    private static func head(_ line: ArraySlice<UInt8>) -> StackReportHead? {
        if line.starts(with: marks[0].utf8) || line.starts(with: marks[1].utf8) {
            return StackReportHead()
        }
        if line.starts(with: "*** SIG".utf8), line.position(of: " received at time=") != nil {
            return StackReportHead(signal: signal(line))
        }
        guard checkStart(line) == line.startIndex, let end = line.position(of: check)
        else { return nil }
        return StackReportHead(message: line[(end + 2)...].trimmed.text)
    }

    private static func signal(_ line: ArraySlice<UInt8>) -> String {
        line.dropFirst(4).prefix { !$0.isBlank }.text
    }

    /// Returns the start of a failed check: `F20261124 18:35:16.731495 4711 Cellar.cpp:4] Check
    /// failed: …`.
    private static func checkStart(_ line: ArraySlice<UInt8>) -> Int? {
        guard let end = line.position(of: check) else { return nil }
        let words = line[..<end].split(whereSeparator: \.isBlank)
        return words.last { word in
            word.first == UInt8(ascii: "F") && [5, 9].contains(word.count)
                && word.dropFirst().allSatisfy(\.isDigit)
        }?.startIndex
    }

    /// Parses `    @     0x559ffbe37195 cellar::serve()`, which may follow `PC:`.
    private static func frame(_ line: NodeBytes) -> StackFrameLine? {
        var start = line.skipBlanks(from: 0)
        let isCounter = line.begins(with: "PC: @ ", at: start)
        if isCounter { start += 4 }
        guard line.begins(with: "@ ", at: start),
            let address = line.address(from: line.skipBlanks(from: start + 2)), address.value > 0
        else { return nil }
        var frame = StackFrameLine(
            code: StackFrameLine.CodeAddress(address: address.value),
            site: isCounter ? .programCounter : .returnAddress)
        let name = name(line, address.end..<line.trimmedEnd(address.end..<line.count))
        if !name.isEmpty { frame.function = ReportedFunction(name: name) }
        return frame
    }

    /// Returns the function after an address, or an empty text if it is unknown. The size of a frame
    /// may precede it.
    private static func name(_ line: NodeBytes, _ range: Range<Int>) -> String {
        let start = line.skipBlanks(from: range.lowerBound)
        let end = line.wordEnd(from: start)
        let next = line.skipBlanks(from: end)
        let isSize = line.decimal(start..<end) != nil || line.begins(with: "(unknown)", at: start)
        guard start < range.upperBound else { return "" }
        let first = isSize ? min(next, range.upperBound) : start
        let name = line.text(first..<range.upperBound)
        return name == "(unknown)" ? "" : name
    }
}

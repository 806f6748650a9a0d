import CallStacks

/// Panics of Go programs, whose frames have one line for the function and one for the source line:
///
///     panic: runtime error: index out of range [5] with length 3
///
///     goroutine 1 [running]:
///     main.pour(...)
///     	/src/main.go:8
///     main.main()
///     	/src/main.go:20 +0x1d
///
/// Go programs contain functions and lines even when they are stripped, so there is nothing to look
/// up and the received names are the result.
enum GoNotation: StackNotation {
    static let format = CrashFormat.goPanic
    static let offsets = OffsetOrigin.image
    static let gapLimit = 3

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        goroutine(line) != nil || message(line) != nil
    }

    static func start(of line: ArraySlice<UInt8>) -> Int {
        if let start = line.position(of: "goroutine "), goroutine(line[start...]) != nil,
            line[start...].contains(UInt8(ascii: "["))
        {
            return start - line.startIndex
        }
        let start = messageStarts.lazy.compactMap { line.position(ofPrefixed: $0) }.first
        return start.map { $0 - line.startIndex } ?? 0
    }

    static func line(_ line: NodeBytes) -> StackLine? {
        let bytes = line.bytes[...]
        if bytes.trimmed.isEmpty { return .other }
        if let name = Self.goroutine(bytes) { return .stack(name: name) }
        if let message = Self.message(bytes) {
            return .report(StackReportHead(exception: "panic", message: message))
        }
        if bytes.starts(with: "[signal SIG".utf8) {
            return .signal(bytes[8...].prefix { $0 != UInt8(ascii: ":") && !$0.isBlank }.text)
        }
        if bytes.starts(with: "exit status ".utf8) { return .end(nil) }
        if let source = Self.source(line) { return .source(source) }
        return frame(line).map(StackLine.frame)
    }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String { "" }

    /// Returns the name of the stack from `goroutine 1 [running]:`.
    private static func goroutine(_ line: ArraySlice<UInt8>) -> String? {
        guard line.starts(with: "goroutine ".utf8), line.dropFirst(10).first?.isDigit == true,
            line.trimmed.last == UInt8(ascii: ":")
        else { return nil }
        return line.trimmed.text.trimmedColon
    }

    private static let messageStarts = ["panic: ", "fatal error: "]

    private static func message(_ line: ArraySlice<UInt8>) -> String? {
        let mark = messageStarts.first { line.starts(with: $0.utf8) }
        return mark.map { line.dropFirst($0.utf8.count).trimmed.text }
    }

    /// Parses `        /src/main.go:20 +0x1d fp=0xc00006cf30 sp=0xc00006cef0 pc=0x481b2f`.
    private static func source(_ line: NodeBytes) -> StackSourceLine? {
        guard line.begins(with: "\t", at: 0) else { return nil }
        var end = line.trimmedEnd(1..<line.count)
        var address: UInt64?
        if let pc = line.last(" pc=0x", in: 1..<end) {
            address = line.hexadecimal(pc + 4..<line.wordEnd(from: pc + 4))
            end = line.first(" fp=", in: 1..<pc) ?? pc
        }
        var distance: UInt64?
        if let plus = line.last(" +0x", in: 1..<end) {
            distance = line.hexadecimal(plus + 2..<end)
            end = plus
        }
        return line.sourceLocation(1..<end).map {
            StackSourceLine(file: $0.file, line: $0.line, address: address, distance: distance)
        }
    }

    /// Parses `main.(*Cask).pour(0xc000012345, {0x1, 0x2})` or
    /// `created by main.main in goroutine 1`.
    private static func frame(_ line: NodeBytes) -> StackFrameLine? {
        guard line.count > 0, !line[0].isBlank else { return nil }
        let end = line.trimmedEnd(0..<line.count)
        var name = line.text(0..<end)
        if name.hasPrefix("created by ") {
            let words = name.dropFirst(11).split(separator: " ")
            name = words.first.map(String.init) ?? ""
        } else {
            guard let group = line.group(before: end, from: 0), group.start > 0,
                line.first(" ", in: 0..<group.start) == nil
            else { return nil }
            name = line.text(0..<group.start)
        }
        guard !name.isEmpty else { return nil }
        return StackFrameLine(
            code: StackFrameLine.CodeAddress(), function: ReportedFunction(name: name))
    }
}

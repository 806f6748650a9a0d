import CallStacks

/// The lines of glibc's `backtrace_symbols`. A frame consists of its module, either the nearest
/// exported function with a distance or an offset, and the address:
///
///     ./cellar(+0x1357)[0x557739531357]
///     /lib/x86_64-linux-gnu/libc.so.6(__libc_start_main+0x85) [0x7f54a1245305]
///
/// All addresses are return addresses, even in the first line. Offsets are relative to the load
/// address of link address 0 (`l_addr`), so they are link addresses. The format has no field for
/// source lines, so functions are written after the address.
enum BacktraceSymbolsNotation: StackNotation {
    static let format = CrashFormat.glibcBacktrace
    static let offsets = OffsetOrigin.link
    static let gapLimit = 0

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.position(of: "[0x") != nil, let frame = Self.frame(NodeBytes(line)) else {
            return false
        }
        return frame.code.offset != nil || frame.function?.distance != nil
    }

    static func line(_ line: NodeBytes) -> StackLine? { frame(line).map(StackLine.frame) }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String {
        " " + function.markedText
    }

    private static func frame(_ line: NodeBytes) -> StackFrameLine? {
        guard let bracket = line.first("[0x", in: 0..<line.count),
            let close = line.bytes[bracket...].firstIndex(of: UInt8(ascii: "]")),
            let address = line.hexadecimal(bracket + 1..<close)
        else { return nil }
        guard let group = line.group(before: bracket, from: 0) else {
            return nameless(line, bracket: bracket, close: close, address)
        }
        var frame = StackFrameLine(code: StackFrameLine.CodeAddress(address: address))
        guard group.start > 0, let module = module(line, 0..<group.start) else { return nil }
        frame.code.module = module
        frame.slot = close + 1..<line.trimmedEnd(close + 1..<line.count)
        let plus = line.last("+0x", in: group.inner)
        let distance = plus.flatMap { line.hexadecimal($0 + 1..<group.inner.upperBound) }
        guard let plus, let distance else { return group.inner.isEmpty ? frame : nil }
        if plus == group.inner.lowerBound {
            frame.code.offset = distance
        } else {
            frame.function = ReportedFunction(
                name: line.text(group.inner.lowerBound..<plus), distance: distance)
        }
        let added = line.text(close + 1..<line.count).trimmed
        if !added.isEmpty, let function = FrameSymbolText.symbol(added) {
            frame.function = function
        }
        return frame
    }

    /// Parses `./app[0x401363]`, the format of older versions for code without a symbol.
    private static func nameless(
        _ line: NodeBytes, bracket: Int, close: Int, _ address: UInt64
    ) -> StackFrameLine? {
        let start = line.skipBlanks(from: 0)
        guard start < bracket, line.wordEnd(from: start) >= bracket else { return nil }
        let name = line.text(start..<bracket)
        var frame = StackFrameLine(code: StackFrameLine.CodeAddress(module: name, address: address))
        frame.slot = close + 1..<line.trimmedEnd(close + 1..<line.count)
        let added = line.text(close + 1..<line.count).trimmed
        if !added.isEmpty { frame.function = FrameSymbolText.symbol(added) }
        return frame
    }

    /// Returns a path from the start of the line, or its last word if the line has a log's prefix.
    private static func module(_ line: NodeBytes, _ range: Range<Int>) -> String? {
        let start = line.skipBlanks(from: 0)
        guard start < range.upperBound else { return nil }
        let isPath = line.begins(with: "/", at: start) || line.begins(with: "./", at: start)
        let blank = isPath ? nil : line.bytes[start..<range.upperBound].lastIndex(of: .space)
        let text = line.text((blank.map { $0 + 1 } ?? start)..<range.upperBound)
        return text.isEmpty ? nil : text
    }
}

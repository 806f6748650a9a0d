import CallStacks

/// Stacks printed by Boost.Stacktrace:
///
///      0# 0x00000000004012DC in ./cellar
///      1# cellar::serve(Cask*) at /src/Cellar.cpp:38
///      2# __libc_start_main in /lib/x86_64-linux-gnu/libc.so.6
///
/// All addresses are return addresses, even in the first frame. There are no load addresses, so
/// they can be looked up only in programs with a fixed address. The format has no field for both an
/// address and a function, so functions are written between the address and the module.
enum BoostNotation: StackNotation {
    static let format = CrashFormat.boostStacktrace
    static let offsets = OffsetOrigin.link
    static let numberWidth = 2
    static let gapLimit = 0

    static func begins(_ line: ArraySlice<UInt8>) -> Bool {
        guard line.contains(UInt8(ascii: "#")), let frame = Self.frame(NodeBytes(line)) else {
            return false
        }
        if frame.code.address != nil { return true }
        let isPath = frame.code.module?.contains("/") == true
        return frame.number == 0 && (frame.function?.file != nil || isPath)
    }

    static func start(of line: ArraySlice<UInt8>) -> Int {
        guard line.contains(UInt8(ascii: "#")), let digits = frame(NodeBytes(line))?.numberRange
        else { return 0 }
        return max(0, digits.lowerBound - max(0, numberWidth - digits.count))
    }

    static func line(_ line: NodeBytes) -> StackLine? { frame(line).map(StackLine.frame) }

    static func text(
        of function: SymbolicatedFrame, in frame: StackFrameLine, _ line: NodeBytes
    ) -> String {
        " " + function.markedText
    }

    /// The minimum length of an address, with `0x` and 8 digits.
    private static let addressLength = 10

    private static func frame(_ line: NodeBytes) -> StackFrameLine? {
        guard let number = number(line) else { return nil }
        let start = number.range.upperBound + 2
        let end = line.trimmedEnd(start..<line.count)
        guard start < end else { return nil }
        var frame = StackFrameLine(
            number: number.value, numberRange: number.range, code: StackFrameLine.CodeAddress())
        var nameEnd = end
        if let mark = line.last(" in ", in: start..<end), mark + 4 < end {
            frame.code.module = line.text(mark + 4..<end)
            nameEnd = mark
        }
        if let address = line.address(from: start) {
            guard frame.code.module != nil, address.end <= nameEnd,
                address.end - start >= addressLength
            else { return nil }
            frame.code.address = address.value
            frame.slot = address.end..<nameEnd
            let text = line.text(address.end..<nameEnd).trimmed
            if !text.isEmpty { frame.function = FrameSymbolText.symbol(text) }
            return frame
        }
        // A truncated line may end in a part of an address.
        guard !line[start].isDigit else { return nil }
        frame.function = function(line, start..<nameEnd, isWhole: frame.code.module != nil)
        return frame
    }

    /// Parses `cellar::serve(Cask*) at /src/Cellar.cpp:38`.
    ///
    /// - Parameter isWhole: Whether a module follows. If not, the line may be truncated after a
    ///   part of a source location or of a module.
    private static func function(
        _ line: NodeBytes, _ range: Range<Int>, isWhole: Bool
    ) -> ReportedFunction {
        var end = range.upperBound
        let mark = line.last(" at ", in: range)
        if !isWhole, let mark, let location = line.sourceLocation(mark + 4..<end) {
            return ReportedFunction(
                name: line.text(range.lowerBound..<mark), file: location.file,
                line: location.line, column: location.column)
        }
        if let mark, mark > range.lowerBound { end = mark }
        for part: StaticString in [" i", " in", " a", " at"]
        where !isWhole && line.ends(range.lowerBound..<end, with: part) {
            end -= part.utf8CodeUnitCount
        }
        return ReportedFunction(name: line.text(range.lowerBound..<end))
    }

    /// Returns the frame number in ` 0# `, which may follow the prefix of a log, and the range of
    /// its digits and the space that aligns them.
    private static func number(_ line: NodeBytes) -> (value: Int, range: Range<Int>)? {
        guard let mark = line.first("# ", in: 0..<line.count) else { return nil }
        let before = line.bytes[..<mark].lastIndex { !$0.isDigit }
        let start = before.map { $0 + 1 } ?? 0
        guard (1...6).contains(mark - start), before.map({ line[$0].isBlank }) ?? true,
            let value = line.decimal(start..<mark)
        else { return nil }
        let isAligned = mark - start == 1 && start > 0
        return (Int(value), (isAligned ? start - 1 : start)..<mark)
    }
}

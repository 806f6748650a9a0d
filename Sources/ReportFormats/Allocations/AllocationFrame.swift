import CallStacks

/// A frame of an allocation's stack.
struct AllocationFrame {
    /// The line in the file.
    var line: Int
    /// The range of the text that a function replaces, in bytes of the file.
    var range: Range<Int>
    var image: String?
    /// The address, or `nil` if the report has only a name.
    var address: UInt64?
    /// The image's load address, if the frame states it.
    var base: UInt64?
    var function: ReportedFunction?
}

/// A line of a stack, which names the source line after two blanks:
///
///     2   Shop                                  0x104a2f66c main + 48  main.c:5
struct AllocationRow {
    let frame: FrameLine
    let function: ReportedFunction?

    init?(_ line: ArraySlice<UInt8>) {
        guard let frame = FrameLine(line) else { return nil }
        let start = line.startIndex
        let rest = line[start + frame.restRange.lowerBound..<start + frame.restRange.upperBound]
        self.frame = frame
        function = AllocationSymbol(rest, at: frame.address).function
    }
}

/// The symbol of a frame: `main + 48  main.c:5 [inlined]`, or `0x104a2c000 + 15028` without
/// symbols.
struct AllocationSymbol {
    private(set) var function: ReportedFunction?
    let base: UInt64?

    init(_ text: ArraySlice<UInt8>, at address: UInt64) {
        var text = text
        let isInlined = text.reversed().starts(with: " [inlined]".utf8.reversed())
        if isInlined { text = text.dropLast(10) }
        var location: NodeSourceLocation?
        if let blank = text.lastIndex(of: .space),
            let found = NodeSourceLocation(text[(blank + 1)...].text), text[blank...].hasColon
        {
            location = found
            text = text[..<blank]
        }
        let symbol = FrameSymbolText(text.trimmed, at: address)
        base = symbol.raw?.base
        function = symbol.function
        function?.isInlined = isInlined
        if let location {
            function?.file = location.file
            function?.line = location.line
            function?.column = location.column
        }
    }
}

extension ArraySlice<UInt8> {
    fileprivate var hasColon: Bool { contains(UInt8(ascii: ":")) }
}

/// A stack on one line, as `malloc_history` and older versions of `leaks` write it:
///
///     Call stack: [thread 0x7fff70126be0]: | 0x1879f71fc (dyld) start | 0x104a2fab4 | malloc
///     ALLOC 0x7684870-0x7684993 [size=292]: thread_a08eb500 |start | main | malloc
struct AllocationChain {
    /// The text that names the stack, or `nil` if the previous line names it.
    let name: String?
    /// The frames, outermost first, by their ranges in the line.
    let frames: [AllocationFrame]

    /// - Parameter limit: The maximum number of frames.
    init?(_ line: ArraySlice<UInt8>, limit: Int) {
        let bytes = NodeBytes(line)
        let start = bytes.skipBlanks(from: 0)
        guard let head = Self.head(bytes, from: start) else { return nil }
        name = head.name
        var frames: [AllocationFrame] = []
        var position = head.end
        while position < bytes.count, frames.count < limit {
            let bar = bytes.first("|", in: position..<bytes.count) ?? bytes.count
            if let frame = Self.frame(bytes, position..<bar) { frames.append(frame) }
            position = bar + 1
        }
        guard !frames.isEmpty else { return nil }
        self.frames = frames
    }

    /// Returns the name of the stack and the end of the text before its frames.
    private static func head(
        _ bytes: NodeBytes, from start: Int
    ) -> (name: String?, end: Int)? {
        if bytes.begins(with: "Call stack: ", at: start) {
            guard let bar = bytes.first("|", in: start..<bytes.count) else { return nil }
            return (nil, bar + 1)
        }
        guard bytes.first("|", in: start..<bytes.count) != nil,
            let colon = bytes.first(": ", in: start..<bytes.count)
        else { return nil }
        let isEvent =
            events.contains { bytes.begins(with: $0, at: start) }
            && bytes.first(" [size=", in: start..<colon) != nil
        let isCount =
            start < bytes.count && bytes[start].isDigit
            && bytes.first(" for ", in: start..<colon) != nil
            && bytes.ends(start..<colon, with: " bytes")
        return isEvent || isCount ? (bytes.text(start..<colon), colon + 2) : nil
    }

    private static let events: [StaticString] = ["ALLOC ", "FREE ", "VM_ALLOC ", "VM_FREE "]

    /// Reads `0x104a2fab4 (Shop) main main.c:5`, an address or a name.
    private static func frame(_ bytes: NodeBytes, _ range: Range<Int>) -> AllocationFrame? {
        let end = bytes.trimmedEnd(range)
        let start = min(bytes.skipBlanks(from: range.lowerBound), end)
        guard start < end, !bytes.begins(with: "thread_", at: start) else { return nil }
        var frame = AllocationFrame(line: 0, range: start..<end)
        var text = start
        let word = start..<(bytes.first(" ", in: start..<end) ?? end)
        if let address = bytes.hexadecimal(word) {
            frame.address = address
            text = bytes.skipBlanks(from: word.upperBound)
            if text < end, let close = bytes.closingParenthesis(of: text..<end) {
                frame.image = bytes.text(text + 1..<close)
                text = bytes.skipBlanks(from: close + 1)
            }
        }
        guard text < end else { return frame }
        let symbol = AllocationSymbol(bytes.bytes[text..<end], at: frame.address ?? 0)
        frame.base = symbol.base
        frame.function = symbol.function
        return frame
    }
}

extension NodeBytes {
    /// Returns the parenthesis that closes the one at the start of a range.
    func closingParenthesis(of range: Range<Int>) -> Int? {
        guard let first = range.first, bytes[first] == UInt8(ascii: "(") else { return nil }
        var depth = 0
        for position in range {
            if bytes[position] == UInt8(ascii: "(") { depth += 1 }
            if bytes[position] == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { return position }
        }
        return nil
    }

    /// Returns the end of a size of memory in parentheses: `(5.00K)`, `(416 bytes)`.
    func endOfSize(from start: Int) -> Int? {
        guard start + 2 < count, bytes[start] == UInt8(ascii: "("), bytes[start + 1].isDigit,
            let close = bytes[start...].prefix(16).firstIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let digits = bytes[start + 1..<close].prefix { $0.isDigit || $0 == UInt8(ascii: ".") }
        let unit = bytes[digits.endIndex..<close]
        let isUnit =
            unit.elementsEqual(" bytes".utf8) || unit.elementsEqual(" byte".utf8)
            || (unit.count == 1 && unit.allSatisfy { Array("KMGT".utf8).contains($0) })
        return isUnit ? close + 1 : nil
    }
}

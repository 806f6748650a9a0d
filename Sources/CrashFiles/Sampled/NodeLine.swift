import CallStacks

/// One line of a call tree in text.
struct NodeLine {
    let bytes: NodeBytes
    /// What stands before the count: blanks, rulers, the star of a kernel frame. Its length is the
    /// node's depth, two bytes a level.
    let prefix: Range<Int>
    let count: UInt64
    /// Where what follows the count begins.
    let text: Int
    /// `nil` for a line that names no code, such as `<patched truncated backtrace>`.
    var frame: NodeFrame?

    var depth: Int { prefix.count / 2 }

    /// - Parameter isPrefix: See ``TreeNotation/isPrefix(_:)``.
    init?(_ line: ArraySlice<UInt8>, isPrefix: (UInt8) -> Bool) {
        let bytes = NodeBytes(line)
        let start = bytes.bytes.firstIndex { !isPrefix($0) } ?? bytes.count
        let end = bytes.bytes[start...].firstIndex { !$0.isDigit } ?? bytes.count
        guard let count = bytes.decimal(start..<end), end < bytes.count, bytes[end].isBlank
        else { return nil }
        self.bytes = bytes
        self.count = count
        prefix = 0..<start
        text = bytes.skipBlanks(from: end)
    }
}

/// The code that a line of a call tree names.
struct NodeFrame {
    /// `nil` where the line has `???`.
    var function: GivenFunction?
    /// The image's name in the line; `nil` where it has none.
    var image: Range<Int>?
    var offset: UInt64?
    var address: UInt64
    /// The address in brackets, with what follows it and is kept.
    var tail: Range<Int>
    /// Whether it is a call that was inlined into the line above.
    var isInlined = false

    /// Whether an inlined call is at the place of a frame.
    func isAtPlace(of other: Self) -> Bool { address == other.address && offset == other.offset }
}

/// How a kind of file writes the lines of call trees.
protocol TreeNotation: Sendable {
    /// Whether a byte may stand before the count of a line.
    static func isPrefix(_ byte: UInt8) -> Bool
    /// The frame that a line has behind its count, from `start` on; `nil` where it has none.
    static func frame(_ bytes: NodeBytes, from start: Int) -> NodeFrame?
    /// What stands behind the count in the line of a function.
    ///
    /// - Parameter line: That of the frame as received.
    static func text(of function: SymbolicatedFrame, at line: NodeLine, _ frame: NodeFrame)
        -> String
}

extension TreeNotation {
    /// - Returns: `nil` for what is no line of a tree.
    static func line(_ content: ArraySlice<UInt8>) -> NodeLine? {
        guard var line = NodeLine(content, isPrefix: isPrefix) else { return nil }
        line.frame = frame(line.bytes, from: line.text)
        return line
    }
}

extension NodeBytes {
    /// The last address in brackets in a range: from its bracket to behind the closing one. Of
    /// several addresses, `[0x1,0x2,...]`, the first.
    func address(in range: Range<Int>) -> (range: Range<Int>, address: UInt64)? {
        guard let start = last("[0x", in: range),
            let end = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "]")),
            let address = hexadecimal(
                start + 1..<(bytes[start..<end].firstIndex(of: UInt8(ascii: ",")) ?? end))
        else { return nil }
        return (start..<end + 1, address)
    }

    /// Splits `NAME + NUMBER` where it ends in one.
    func distance(in range: Range<Int>) -> (rest: Range<Int>, distance: UInt64)? {
        guard let plus = last(" + ", in: range), let number = decimal(plus + 3..<range.upperBound)
        else { return nil }
        return (range.lowerBound..<plus, number)
    }

    /// A function by the texts that a line has for it; `nil` for `???` and for no name.
    func function(
        name: Range<Int>, distance: UInt64?, place: NodePlace?, isInlined: Bool
    ) -> GivenFunction? {
        let text = text(name)
        guard !text.isEmpty, text != "???" else { return nil }
        return GivenFunction(
            name: text, distance: distance, file: place?.file, line: place?.line ?? 0,
            column: place?.column ?? 0, isInlined: isInlined)
    }
}

/// A source file and a place in it, as lines of call trees have them: `Cart.swift:7,10`.
struct NodePlace {
    /// `nil` for code that nobody wrote.
    var file: SourceFile?
    var line: UInt32 = 0
    var column: UInt32 = 0

    /// - Parameter separator: What stands between line and column.
    init?(_ text: some StringProtocol, separator: Character = ",") {
        var name = Substring(text)
        if let colon = name.lastIndex(of: ":") {
            let numbers = name[name.index(after: colon)...]
                .split(separator: separator, omittingEmptySubsequences: false)
            if let line = numbers.first.flatMap({ UInt32($0) }), numbers.count <= 2 {
                self.line = line
                if numbers.count == 2, let column = UInt32(numbers[1]) { self.column = column }
                name = name[..<colon]
            }
        }
        if name == "<compiler-generated>" { return }
        guard !name.isEmpty, !name.contains(where: { "()[]".contains($0) }),
            let dot = name.lastIndex(of: "."), dot > name.startIndex,
            name[name.index(after: dot)...].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
                || line > 0
        else { return nil }
        file = SourceFile(folder: "", name: String(name))
    }
}

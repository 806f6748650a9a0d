package import CallStacks

/// One line of a call tree in text.
package struct NodeLine {
    let bytes: NodeBytes
    /// The text before the count: blanks, rulers, the star of a kernel frame. Its length is the
    /// node's depth, at two bytes per level.
    let prefix: Range<Int>
    let count: UInt64
    /// The start of the text after the count.
    fileprivate(set) var text: Int
    /// The frame, or `nil` for a line such as `<patched truncated backtrace>`.
    package var frame: SampledFrame?

    var depth: Int { prefix.count / 2 }

    /// The note that a line has in place of a frame, such as `<patched truncated backtrace>`, or
    /// `nil` for other lines, such as `<< TOTAL >>` and those that the end of the file truncates.
    var note: String? {
        let note = bytes.text(label)
        return note.hasPrefix("<") && note.hasSuffix(">") && !note.hasPrefix("<<") ? note : nil
    }

    /// The image and the offset of a line without an address, or `nil` for other lines:
    /// `??? (libpress.dylib + 1234)`.
    var unaddressedCode: (image: Range<Int>, offset: UInt64)? {
        let start = "??? ("
        guard frame == nil, bytes.text(label).hasPrefix(start), bytes.ends(label, with: ")")
        else { return nil }
        return bytes.distance(
            in: label.lowerBound + start.utf8.count..<label.upperBound - 1
        ).map { ($0.rest, $0.distance) }
    }

    /// The range of the text after the count, without the numbers of samples after it.
    private var label: Range<Int> {
        let end = bytes.trimmedEnd(text..<bytes.count)
        let last = bytes.bytes[text..<end].lastIndex { !$0.isDigit && !"-,".utf8.contains($0) }
        guard let last, last + 1 < end, bytes[last].isBlank, bytes[last + 1].isDigit
        else { return text..<end }
        return text..<bytes.trimmedEnd(text..<last)
    }

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

/// The code named by a call-tree line.
package struct SampledFrame {
    /// The function, or `nil` for `???`.
    var function: ReportedFunction?
    /// The range of the image's name, or `nil` if there is none.
    var image: Range<Int>?
    var offset: UInt64?
    var address: UInt64
    /// The address in brackets and the text after it, which are kept.
    var tail: Range<Int>
    /// Whether the call was inlined into the line above.
    var isInlined = false

    /// Whether this frame has the same address and offset as another one, so that it may be a call
    /// inlined into it.
    func hasSameAddress(as other: Self) -> Bool {
        address == other.address && offset == other.offset
    }
}

/// The notation of call-tree lines in one kind of file.
package protocol TreeNotation: Sendable {
    /// Whether a byte may precede the count of a line.
    static func isPrefix(_ byte: UInt8) -> Bool
    /// Returns the end of a size after the count, or `start` if there is none.
    static func endOfSize(_ bytes: NodeBytes, from start: Int) -> Int
    /// Reads the frame after the count, from `start` on. Returns `nil` if there is none.
    static func frame(_ bytes: NodeBytes, from start: Int) -> SampledFrame?
    /// Returns the text after the count in a function's line.
    ///
    /// - Parameter line: The received line of the frame.
    static func text(of function: SymbolicatedFrame, at line: NodeLine, _ frame: SampledFrame)
        -> String
}

extension TreeNotation {
    package static func endOfSize(_ bytes: NodeBytes, from start: Int) -> Int { start }

    /// - Returns: `nil` if the line is not part of a tree.
    package static func line(_ content: ArraySlice<UInt8>) -> NodeLine? {
        guard var line = NodeLine(content, isPrefix: isPrefix) else { return nil }
        line.text = endOfSize(line.bytes, from: line.text)
        line.frame = frame(line.bytes, from: line.text)
        return line
    }
}

extension NodeBytes {
    /// Returns the last address in brackets and its range with the brackets. Of several addresses,
    /// `[0x1,0x2,...]`, it returns the first.
    func address(in range: Range<Int>) -> (range: Range<Int>, address: UInt64)? {
        guard let start = last("[0x", in: range),
            let end = bytes[start..<range.upperBound].firstIndex(of: UInt8(ascii: "]")),
            let address = hexadecimal(
                start + 1..<(bytes[start..<end].firstIndex(of: UInt8(ascii: ",")) ?? end))
        else { return nil }
        return (start..<end + 1, address)
    }

    /// Splits `NAME + NUMBER`.
    func distance(in range: Range<Int>) -> (rest: Range<Int>, distance: UInt64)? {
        guard let plus = last(" + ", in: range), let number = decimal(plus + 3..<range.upperBound)
        else { return nil }
        return (range.lowerBound..<plus, number)
    }

    /// Returns a function for the texts of a line, or `nil` for `???` or an empty name.
    func function(
        name: Range<Int>, distance: UInt64?, location: NodeSourceLocation?, isInlined: Bool
    ) -> ReportedFunction? {
        let text = text(name)
        guard !text.isEmpty, text != "???" else { return nil }
        return ReportedFunction(
            name: text, distance: distance, file: location?.file, line: location?.line ?? 0,
            column: location?.column ?? 0, isInlined: isInlined)
    }
}

/// A source location in a call-tree line: `Cart.swift:7,10`.
struct NodeSourceLocation {
    /// The source file, or `nil` for compiler-generated code.
    var file: SourceFile?
    var line: UInt32 = 0
    var column: UInt32 = 0

    /// - Parameter separator: The character between line and column.
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
        if name == SourceFile.compilerGeneratedPath { return }
        guard !name.isEmpty, !name.contains(where: { "()[]".contains($0) }),
            let dot = name.lastIndex(of: "."), dot > name.startIndex,
            name[name.index(after: dot)...].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" })
                || line > 0
        else { return nil }
        file = SourceFile(folder: "", name: String(name))
    }
}

package import CallStacks

/// The lines of the call graphs printed by `sample` and, with sizes of memory, by `malloc_history`:
///
///     + ! 30 Cart.total()  (in Shop) + 56  [0x104a2fab4]  Cart.swift:9
///     + ! 30 ???  (in Shop)  load address 0x104a2c000 + 0x3ab4  [0x104a2fab4]
///     + ! 30 (4.84M) Cart.total()  (in Shop) + 56  [0x104a2fab4]
package enum SampleNotation: TreeNotation {
    private static let rulers = Array(" \t+!:|".utf8)

    package static func isPrefix(_ byte: UInt8) -> Bool { rulers.contains(byte) }

    package static func endOfSize(_ bytes: NodeBytes, from start: Int) -> Int {
        bytes.endOfSize(from: start).map { bytes.skipBlanks(from: $0) } ?? start
    }

    package static func text(
        of function: SymbolicatedFrame, at line: NodeLine, _ frame: SampledFrame
    ) -> String {
        let image = frame.image.map(line.bytes.text) ?? function.imageName ?? "???"
        var text = "\(function.function ?? "???")  (in \(image))"
        if let distance = function.codeDistance { text += " + \(distance)" }
        text += "  " + line.bytes.text(frame.tail)
        if let file = function.fileLabel { text += "  \(file):\(function.exactLine)" }
        return text + (function.isInlined ? " [inlined]" : "")
    }

    package static func frame(_ bytes: NodeBytes, from start: Int) -> SampledFrame? {
        var end = bytes.trimmedEnd(start..<bytes.count)
        let isInlined = bytes.ends(start..<end, with: " [inlined]")
        if isInlined { end -= 10 }
        guard let (bracket, address) = bytes.address(in: start..<end) else { return nil }
        let position = bytes.skipBlanks(from: bracket.upperBound)
        var frame = SampledFrame(address: address, tail: bracket, isInlined: isInlined)
        let code = start..<bytes.trimmedEnd(start..<bracket.lowerBound)
        guard let mark = bytes.last("  (in ", in: code),
            let close = bytes.closingParenthesis(of: mark + 2..<code.upperBound)
        else { return bytes.text(code) == "???" ? frame : nil }
        frame.image = mark + 6..<close
        let behind = number(bytes, range: close + 1..<code.upperBound)
        frame.offset = behind.offset
        frame.function = bytes.function(
            name: start..<bytes.trimmedEnd(start..<mark), distance: behind.distance,
            location: position < end ? NodeSourceLocation(bytes.text(position..<end)) : nil,
            isInlined: isInlined)
        return frame
    }

    /// Reads the text after the image: `load address BASE + OFFSET`, the distance from the
    /// function's start, several distances, or nothing.
    private static func number(
        _ bytes: NodeBytes, range: Range<Int>
    ) -> (offset: UInt64?, distance: UInt64?) {
        guard let plus = bytes.last("+ ", in: range) else { return (nil, nil) }
        let digits = plus + 2..<bytes.trimmedEnd(range)
        if let offset = bytes.hexadecimal(digits) { return (offset, nil) }
        let end = bytes.bytes[digits].firstIndex(of: UInt8(ascii: ",")) ?? digits.upperBound
        return (nil, bytes.decimal(digits.lowerBound..<end))
    }
}

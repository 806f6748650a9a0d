import CallStacks

/// The lines of the call graph that the `sample` tool prints:
///
///     + ! 30 Cart.total()  (in Shop) + 56  [0x104a2fab4]  Cart.swift:9
///     + ! 30 ???  (in Shop)  load address 0x104a2c000 + 0x3ab4  [0x104a2fab4]
enum SampleNotation: TreeNotation {
    private static let rulers = Array(" \t+!:|".utf8)

    static func isPrefix(_ byte: UInt8) -> Bool { rulers.contains(byte) }

    static func text(
        of function: SymbolicatedFrame, at line: NodeLine, _ frame: NodeFrame
    ) -> String {
        let image = frame.image.map(line.bytes.text) ?? function.imageName ?? "???"
        var text = "\(function.function ?? "???")  (in \(image))"
        if let distance = function.writtenDistance { text += " + \(distance)" }
        text += "  " + line.bytes.text(frame.tail)
        if let file = function.writtenFile { text += "  \(file):\(function.writtenLine)" }
        return text + (function.isInlined ? " [inlined]" : "")
    }

    static func frame(_ bytes: NodeBytes, from start: Int) -> NodeFrame? {
        var end = bytes.trimmedEnd(start..<bytes.count)
        let isInlined = bytes.ends(start..<end, with: " [inlined]")
        if isInlined { end -= 10 }
        guard let (bracket, address) = bytes.address(in: start..<end) else { return nil }
        let place = bytes.skipBlanks(from: bracket.upperBound)
        var frame = NodeFrame(address: address, tail: bracket, isInlined: isInlined)
        let code = start..<bytes.trimmedEnd(start..<bracket.lowerBound)
        guard let mark = bytes.last("  (in ", in: code),
            let close = closingParenthesis(bytes, mark + 2..<code.upperBound)
        else { return bytes.text(code) == "???" ? frame : nil }
        frame.image = mark + 6..<close
        let behind = number(bytes, close + 1..<code.upperBound)
        frame.offset = behind.offset
        frame.function = bytes.function(
            name: start..<bytes.trimmedEnd(start..<mark), distance: behind.distance,
            place: place < end ? NodePlace(bytes.text(place..<end)) : nil, isInlined: isInlined)
        return frame
    }

    /// What stands behind the image: `load address BASE + OFFSET`, the distance from the function's
    /// start, several distances, or nothing.
    private static func number(
        _ bytes: NodeBytes, _ range: Range<Int>
    ) -> (offset: UInt64?, distance: UInt64?) {
        guard let plus = bytes.last("+ ", in: range) else { return (nil, nil) }
        let digits = plus + 2..<bytes.trimmedEnd(range)
        if let offset = bytes.hexadecimal(digits) { return (offset, nil) }
        let end = bytes.bytes[digits].firstIndex(of: UInt8(ascii: ",")) ?? digits.upperBound
        return (nil, bytes.decimal(digits.lowerBound..<end))
    }

    /// Where the parenthesis closes that opens a range: names of images have some of their own.
    private static func closingParenthesis(_ bytes: NodeBytes, _ range: Range<Int>) -> Int? {
        var depth = 0
        for place in range {
            if bytes[place] == UInt8(ascii: "(") { depth += 1 }
            if bytes[place] == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { return place }
        }
        return nil
    }
}

package import CallStacks

/// The call-tree lines of spindumps, and of reports of hangs, CPU usage and disk writes:
///
///     30  Cart.total() + 56 (Cart.swift:9,11 in Shop + 15028) [0x104a2fab4] 1-30
///     30  Shop 0x104a2c000 + 15028 [0x104a2fab4]
package enum SpindumpNotation: TreeNotation {
    package static func isPrefix(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == UInt8(ascii: "*")
    }

    package static func text(
        of function: SymbolicatedFrame, at line: NodeLine, _ frame: SampledFrame
    ) -> String {
        var text = function.function ?? "???"
        if let distance = function.codeDistance { text += " + \(distance)" }
        text += " ("
        if let file = function.fileLabel {
            text += "\(file):\(function.exactLine)"
            if function.exactColumn > 0 { text += ",\(function.exactColumn)" }
            text += " in "
        }
        let image = frame.image.map(line.bytes.text) ?? function.imageName ?? "???"
        text += image
        if let offset = frame.offset ?? function.offset?.rawValue { text += " + \(offset)" }
        return text + ") " + line.bytes.text(frame.tail) + (function.isInlined ? " [inlined]" : "")
    }

    package static func frame(_ bytes: NodeBytes, from start: Int) -> SampledFrame? {
        var end = bytes.trimmedEnd(start..<bytes.count)
        let isInlined = bytes.ends(start..<end, with: " [inlined]")
        if isInlined { end -= 10 }
        // The address is followed by the samples that include it, and the thread's state.
        guard let (bracket, address) = bytes.address(in: start..<end) else { return nil }
        let code = start..<bytes.trimmedEnd(start..<bracket.lowerBound)
        let tail = bracket.lowerBound..<end
        let plain = SampledFrame(address: address, tail: tail, isInlined: isInlined)
        if bytes.text(code) == "???" { return plain }
        return named(plain, bytes: bytes, code: code) ?? old(plain, bytes: bytes, code: code)
    }

    /// Reads `NAME + DISTANCE (FILE:LINE,COLUMN in IMAGE + OFFSET)`.
    private static func named(
        _ frame: SampledFrame, bytes: NodeBytes, code: Range<Int>
    ) -> SampledFrame? {
        guard bytes.ends(code, with: ")"),
            let open = bytes.openingParenthesis(before: code.upperBound, from: code.lowerBound),
            open > code.lowerBound, bytes[open - 1].isBlank
        else { return nil }
        let inner = open + 1..<code.upperBound - 1
        let split = bytes.distance(in: inner)
        var image = split?.rest ?? inner
        var location: NodeSourceLocation?
        if let mark = bytes.first(" in ", in: image),
            let found = NodeSourceLocation(bytes.text(image.lowerBound..<mark))
        {
            location = found
            image = mark + 4..<image.upperBound
        }
        let name = code.lowerBound..<bytes.trimmedEnd(code.lowerBound..<open)
        let symbol = bytes.distance(in: name)
        var frame = frame
        frame.image = image
        frame.offset = split?.distance
        frame.function = bytes.function(
            name: symbol?.rest ?? name, distance: symbol?.distance, location: location,
            isInlined: frame.isInlined)
        return frame
    }

    /// Reads `IMAGE 0xBASE + OFFSET`, as older systems write microstackshots.
    private static func old(
        _ frame: SampledFrame, bytes: NodeBytes, code: Range<Int>
    ) -> SampledFrame? {
        guard let (left, offset) = bytes.distance(in: code),
            let base = bytes.last(" 0x", in: left), base > left.lowerBound,
            bytes.hexadecimal(base + 1..<left.upperBound) != nil
        else { return nil }
        var frame = frame
        frame.image = left.lowerBound..<bytes.trimmedEnd(left.lowerBound..<base)
        frame.offset = offset
        return frame
    }
}

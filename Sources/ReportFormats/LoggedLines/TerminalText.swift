/// A line as a terminal shows it, without control sequences and without text that was overwritten
/// after a CR.
package enum TerminalText {
    package static func shown(_ line: [UInt8]) -> [UInt8] {
        guard line.contains(where: { $0 == .escape || $0 == .carriageReturn }) else { return line }
        var shown: [UInt8] = []
        var position = 0
        while position < line.count {
            switch line[position] {
            case .escape: position = endOfSequence(line, from: position)
            case .carriageReturn:
                if position + 1 < line.count { shown.removeAll(keepingCapacity: true) }
                position += 1
            default:
                shown.append(line[position])
                position += 1
            }
        }
        return shown
    }

    /// Returns the end of a control sequence (ECMA-48): escape, bracket, parameters, final byte.
    private static func endOfSequence(_ line: [UInt8], from start: Int) -> Int {
        var position = start + 1
        guard position < line.count, line[position] == UInt8(ascii: "[") else { return position }
        position += 1
        while position < line.count, (0x20..<0x40).contains(line[position]) { position += 1 }
        return min(position + 1, line.count)
    }
}

/// A line as a terminal shows it, without control sequences and without text that was overwritten
/// after a CR.
package enum TerminalText {
    package static func shown(_ line: [UInt8]) -> [UInt8] {
        guard line.contains(where: { $0 == .escape || $0 == .carriageReturn }) else { return line }
        var shown: [UInt8] = []
        var place = 0
        while place < line.count {
            switch line[place] {
            case .escape: place = endOfSequence(line, from: place)
            case .carriageReturn:
                if place + 1 < line.count { shown.removeAll(keepingCapacity: true) }
                place += 1
            default:
                shown.append(line[place])
                place += 1
            }
        }
        return shown
    }

    /// Returns the end of a control sequence (ECMA-48): escape, bracket, parameters, final byte.
    private static func endOfSequence(_ line: [UInt8], from start: Int) -> Int {
        var place = start + 1
        guard place < line.count, line[place] == UInt8(ascii: "[") else { return place }
        place += 1
        while place < line.count, (0x20..<0x40).contains(line[place]) { place += 1 }
        return min(place + 1, line.count)
    }
}

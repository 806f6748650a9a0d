/// What a terminal shows of a line: without control sequences, and without what a carriage return
/// lets the rest of the line overwrite.
enum TerminalText {
    static func shown(_ line: [UInt8]) -> [UInt8] {
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

    /// The end of a control sequence (ECMA-48): an escape, a bracket, parameters, and a last byte.
    private static func endOfSequence(_ line: [UInt8], from start: Int) -> Int {
        var place = start + 1
        guard place < line.count, line[place] == UInt8(ascii: "[") else { return place }
        place += 1
        while place < line.count, (0x20..<0x40).contains(line[place]) { place += 1 }
        return min(place + 1, line.count)
    }
}

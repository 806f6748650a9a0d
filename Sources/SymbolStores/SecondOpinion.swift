import ByteReading
public import DebugFiles
import SymbolIndexes

/// The index of one debug file as both readers of debug information make it.
public struct SecondOpinion: Sendable {
    /// A line of `index dump` that only one of the indexes has.
    public struct Difference: Hashable, Sendable {
        /// Whether it is the index that was read through libdwarf.
        public let isOfLibDwarf: Bool
        /// From 1.
        public let lineNumber: Int
        public let text: String
    }

    /// Why there is no second opinion: debug information is read through libdwarf in any case.
    public let libdwarfReason: String?
    /// Whether both indexes are the same to the last byte.
    public let isUnanimous: Bool
    /// First those of the mapped reader, then those of libdwarf.
    public let differences: [Difference]

    /// - Parameter name: What errors call the file.
    public init(on file: DebugFile, name: String) throws {
        libdwarfReason = file.summary().libdwarfReason
        let mapped = try SymbolIndex.bytes(of: file, name: name)
        let libdwarf = try SymbolIndex.bytes(of: file, name: name, usesLibDwarf: true)
        isUnanimous = mapped == libdwarf
        // Dumps are large and most files are equal.
        guard !isUnanimous else {
            differences = []
            return
        }
        let mappedLines = try Self.lines(of: mapped)
        let libdwarfLines = try Self.lines(of: libdwarf)
        differences =
            Self.lines(of: mappedLines, missingIn: libdwarfLines, isOfLibDwarf: false)
            + Self.lines(of: libdwarfLines, missingIn: mappedLines, isOfLibDwarf: true)
    }

    private static func lines(of index: [UInt8]) throws -> [Substring] {
        try SymbolIndex(FileBytes(index)).dump().split(
            separator: "\n", omittingEmptySubsequences: false)
    }

    /// Lines are compared as a bag: they carry their offsets, so none can change its place unseen,
    /// and however many differ, it takes a moment.
    private static func lines(
        of dump: [Substring], missingIn other: [Substring], isOfLibDwarf: Bool
    ) -> [Difference] {
        var counts: [Substring: Int] = [:]
        for line in other { counts[line, default: 0] += 1 }
        var found: [Difference] = []
        for (index, line) in dump.enumerated() {
            if let count = counts[line], count > 0 {
                counts[line] = count - 1
            } else {
                found.append(
                    Difference(
                        isOfLibDwarf: isOfLibDwarf, lineNumber: index + 1, text: String(line)))
            }
        }
        return found
    }
}

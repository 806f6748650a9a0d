import ByteReading
public import DebugFiles
import SymbolIndexes

/// The comparison of a debug file's indexes from both readers of debug information.
public struct IndexComparison: Sendable {
    /// A line of `index dump` that is in only one of the indexes.
    public struct Difference: Hashable, Sendable {
        /// Whether the line is in the index read with libdwarf.
        public let isOfLibDwarf: Bool
        /// The line number, starting at 1.
        public let lineNumber: Int
        public let text: String
    }

    /// The reason why the file is always read with libdwarf, so that there is nothing to compare;
    /// or `nil`.
    public let libdwarfReason: String?
    /// Whether both indexes are equal, byte for byte.
    public let isUnanimous: Bool
    /// The differences: first those of the mapped reader, then those of libdwarf.
    public let differences: [Difference]

    /// - Parameter name: The name of the file in errors.
    public init(on file: DebugFile, name: String) throws {
        libdwarfReason = file.summary().libdwarfReason
        let mapped = try SymbolIndex.bytes(of: file, name: name)
        let libdwarf = try SymbolIndex.bytes(of: file, name: name, usesLibDwarf: true)
        isUnanimous = mapped == libdwarf
        // Dumps are large, and most indexes are equal.
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

    /// Compares lines as a multiset. Lines contain their offsets, so a moved line is detected, and
    /// the comparison is fast however many lines differ.
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

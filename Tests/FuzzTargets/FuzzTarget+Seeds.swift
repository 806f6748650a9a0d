import ByteReading
import CallStacks
import DebugFiles
import SymbolIndexes

extension FuzzTarget {
    /// Returns the seeds for this target that a file of the project contains: a debug file or a
    /// diagnostic. Most files have none for most targets.
    public func seeds(from file: [UInt8]) -> [[UInt8]] {
        let bytes = FileBytes(file)
        if Self.isSharedCache(file) { return self == .sharedCache ? [file] : [] }
        let contents = try? DebugFile.slices(of: bytes, name: "seed")
        let isDebugFile = contents != nil
        if self == .tree { return isDebugFile || !Self.isJSON(file) ? [] : [file] }
        if self == .request { return !isDebugFile && Self.isRequest(file) ? [file] : [] }
        if self == .crashFile { return isDebugFile || Self.isArchive(file) ? [] : [file] }
        guard let contents else { return [] }
        switch self {
        case .machO, .elf:
            let isELF = contents.files.contains { $0.kind.isELF }
            return isELF == (self == .elf) ? [file] : []
        case .debugFile: return [file]
        case .dwarf, .readers:
            return contents.files.compactMap(\.dwarfSections).map(PackedSections.bytes(of:))
        case .index: return contents.files.compactMap(Self.index(of:))
        case .name: return contents.files.flatMap(Self.names(in:))
        case .tree, .crashFile, .request, .sharedCache: return []
        }
    }

    private static func isJSON(_ file: [UInt8]) -> Bool {
        file.first.map { [UInt8(ascii: "{"), UInt8(ascii: "[")].contains($0) } ?? false
    }

    private static func isArchive(_ file: [UInt8]) -> Bool { file.starts(with: "PK".utf8) }

    private static func index(of file: DebugFile) -> [UInt8]? {
        var builder = SymbolIndexBuilder(image: file.indexedImage, layout: file.layout)
        _ = file.read(into: &builder)
        return try? builder.encode(notes: IndexNotes())
    }

    private static func names(in file: DebugFile) -> [[UInt8]] {
        var names = NameList()
        _ = file.read(into: &names)
        return names.names
    }
}

/// Stores only the names of functions.
private struct NameList: DebugRecordSink {
    private(set) var names: [[UInt8]] = []

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        names.append(utf8.indices.map { utf8[$0] })
        return NameNumber(rawValue: UInt32(names.count - 1))
    }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        FileNumber(rawValue: 0)
    }

    mutating func add(_ function: FunctionRecord) {}
    mutating func add(_ symbol: SymbolRecord) {}
    mutating func add(rowsWithoutFunction rows: [LineRow]) {}
    mutating func add(functionStart: ImageOffset) {}
}

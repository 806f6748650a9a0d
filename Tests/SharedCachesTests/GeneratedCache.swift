import ByteReading
import CallStacks
import DebugFiles
import SharedCaches
import SymbolIndexes
import TestSupport
import Testing

/// A cache built in memory.
struct GeneratedCache {
    var files: [SharedCacheBuilder.File]

    init(_ builder: SharedCacheBuilder) { files = builder.files() }

    init(_ layout: SharedCacheBuilder.Layout) { self.init(SharedCacheBuilder(layout)) }

    func opened() throws(SharedCacheError) -> SharedCache {
        try SharedCache(FileBytes(files[0].bytes), name: files[0].name) { name in
            files.first { $0.name == name }.map { FileBytes($0.bytes) }
        }
    }

    /// Sets a field of the main file's header.
    mutating func setMainHeader(_ offset: Int, to value: UInt32) {
        var field = ByteWriter()
        field.add(value)
        files[0].bytes.replaceSubrange(offset..<offset + field.bytes.count, with: field.bytes)
    }

    /// Returns the cache without the files with a suffix.
    func without(_ ending: String) -> Self {
        var copy = self
        copy.files.removeAll { $0.name.hasSuffix(ending) }
        return copy
    }
}

extension SharedCache {
    func image(_ name: String) throws -> CachedImage {
        try #require(images.first { $0.name == name })
    }

    /// Returns the cut file of an image as a debug file.
    func debugFile(of name: String) throws -> DebugFile {
        let cut = try CutFile(try image(name), of: self)
        let slices = try DebugFile.slices(of: FileBytes(cut.bytes), name: name)
        return try #require(slices.files.first)
    }

    /// Returns the symbols of an image: offset, name, rank.
    func symbols(of name: String) throws -> [FoundSymbol] {
        var list = SymbolList()
        let file = try debugFile(of: name)
        _ = file.read(into: &list)
        return list.symbols.sorted()
    }

    func index(of name: String) throws -> SymbolIndex {
        let file = try debugFile(of: name)
        let id = try #require(file.id)
        var builder = SymbolIndexBuilder(
            image: IndexedImage(
                id: id, identityKind: .uuid, architecture: file.architecture,
                base: file.layout.base),
            layout: file.layout)
        _ = file.read(into: &builder)
        return try SymbolIndex(FileBytes(try builder.encode(notes: IndexNotes())))
    }
}

struct FoundSymbol: Comparable, Hashable, CustomStringConvertible {
    let offset: UInt64
    let name: String
    let rank: SymbolRecord.Rank

    var description: String { "\(String(offset, radix: 16)) \(name) \(rank)" }

    static func < (left: Self, right: Self) -> Bool {
        (left.offset, left.name) < (right.offset, right.name)
    }
}

extension CachedLibrary {
    /// The symbols in an index of the library: code only, without the underscore.
    var codeSymbols: [FoundSymbol] {
        symbols.filter { !$0.isData }.map { symbol in
            let hasUnderscore = symbol.name.hasPrefix("_")
            return FoundSymbol(
                offset: symbol.offset,
                name: hasUnderscore ? String(symbol.name.dropFirst()) : symbol.name,
                rank: symbol.rank == .local ? .local : symbol.rank == .weak ? .weak : .global)
        }.sorted()
    }
}

/// Collects the symbols of a file.
private struct SymbolList: DebugRecordSink {
    private var names: [String] = []
    private(set) var symbols: [FoundSymbol] = []

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        names.append(String(decoding: utf8.indices.map { utf8[$0] }, as: UTF8.self))
        return NameNumber(rawValue: UInt32(names.count - 1))
    }

    mutating func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        FileNumber(rawValue: 0)
    }

    mutating func add(_ function: FunctionRecord) {}
    mutating func add(_ symbol: SymbolRecord) {
        symbols.append(
            FoundSymbol(
                offset: symbol.start.rawValue,
                name: names.dropFirst(Int(symbol.name.rawValue)).first ?? "?",
                rank: symbol.rank))
    }
    mutating func add(rowsWithoutFunction rows: [LineRow]) {}
    mutating func add(functionStart: ImageOffset) {}
}

import CallStacks
import SymbolIndexes

/// The names and files of all lookups of a diagnostic; results refer to them by number.
struct LookupTables {
    var names: LinkageNames
    var files: LookupSourceFiles

    /// - Parameters:
    ///   - known: The names of other diagnostics.
    ///   - indexed: The names and files of other diagnostics, by their numbers in indexes.
    init(known: DemangledNameCache? = nil, indexed: IndexedTextCache? = nil) {
        names = LinkageNames(known: known, indexed: indexed)
        files = LookupSourceFiles(indexed: indexed)
    }
}

/// Source files by number. Files of different indexes may be equal.
struct LookupSourceFiles {
    private(set) var all: [SourceFile] = []
    private var numbers: [SourceFile: Int] = [:]
    private let indexed: IndexedTextCache?

    init(indexed: IndexedTextCache?) {
        self.indexed = indexed
        all.reserveCapacity(32)
    }

    mutating func number(of file: SourceFile) -> Int {
        if let known = numbers[file] { return known }
        numbers[file] = all.count
        all.append(file)
        return all.count - 1
    }

    /// Returns the number of a file of an index, or `nil` for the compiler-generated one.
    mutating func number(
        of file: IndexedFile, in index: SymbolIndex
    ) throws(SymbolIndexError) -> Int? {
        guard let indexed else { return try index.file(file).ifInSource.map { number(of: $0) } }
        let key = IndexedTextCache.Key(file, in: index)
        var known = indexed.file(at: key)
        if known == nil {
            let read = try index.file(file)
            indexed.add(read, at: key)
            known = read
        }
        guard let found = known?.ifInSource else { return nil }
        all.append(found)
        return all.count - 1
    }
}

extension SourceFile {
    /// The file, or `nil` if it is the compiler-generated one.
    fileprivate var ifInSource: SourceFile? {
        name == SourceFile.compilerGeneratedPath ? nil : self
    }
}

/// The amount of information in an index, for comparing indexes of the same image.
public struct IndexContents: Hashable, Sendable {
    /// The number of functions and inlined calls with a name.
    public var functions = 0
    /// The number of entries with a line.
    public var lines = 0
    /// The number of named frames plus frames with a line, over all entries. It is lower if an
    /// inlined call or a file name was lost.
    public var frames = 0
    /// The stored size of all names and paths.
    public var textBytes = 0

    public init() {}
}

extension SymbolIndex {
    /// Counts the information in the index.
    ///
    /// - Throws: `SymbolIndexError` if the index is damaged.
    /// - Complexity: O(*n*) in the number of entries and the depth of their calls.
    public func contents() throws(SymbolIndexError) -> IndexContents {
        try withSections { (sections) throws(SymbolIndexError) in
            var count = ContentsCount(sections, namedFiles: try sections.namedFiles())
            guard var cursor = try EntryCursor(atStartOf: sections) else { return count.contents }
            repeat {
                guard let entry = cursor.stretch.entry else { continue }
                try count.add(entry, of: sections)
            } while try cursor.advance()
            return count.contents
        }
    }
}

/// The running counts over entries.
private struct ContentsCount {
    private(set) var contents: IndexContents
    /// Whether each file has a name.
    private let namedFiles: [Bool]
    private var countedScopes: Set<Int> = []

    init(_ sections: IndexSections, namedFiles: [Bool]) {
        contents = IndexContents()
        contents.textBytes = [IndexSection.nameBytes, .fileStrings].reduce(0) {
            $0 + Int(sections.header[$1].length)
        }
        self.namedFiles = namedFiles
    }

    mutating func add(
        _ entry: IndexEntry, of sections: IndexSections
    ) throws(SymbolIndexError) {
        var isInnermost = true
        _ = try sections.walk(from: entry) { (number, frame) throws(SymbolIndexError) in
            let hasLine = hasLine(frame)
            if hasLine, isInnermost { contents.lines += 1 }
            if hasLine { contents.frames += 1 }
            isInnermost = false
            guard try sections.hasText(frame.name) else { return }
            contents.frames += 1
            if countedScopes.insert(number).inserted { contents.functions += 1 }
        }
    }

    private func hasLine(_ frame: NumberedFrame) -> Bool {
        guard frame.line > 0, let file = frame.file else { return false }
        return namedFiles[Int(file.rawValue)]
    }
}

extension IndexSections {
    fileprivate func namedFiles() throws(SymbolIndexError) -> [Bool] {
        var named: [Bool] = []
        for number in 0..<shape.counts.files {
            named.append(try !isNamed(IndexedFile(rawValue: UInt32(number)), ""))
        }
        return named
    }

    /// Names are sorted, so only the first one can be empty.
    fileprivate func hasText(_ name: IndexedName) throws(SymbolIndexError) -> Bool {
        name.rawValue > 0 ? true : try self.name(name) != nil
    }
}

import CallStacks
import Demangling
import SymbolIndexes

/// Measures the parts of a lookup.
struct IndexParts {
    private let index: SymbolIndex
    private let offsets: [ImageOffset]

    /// The number of names that share a demangling budget: about that of a large diagnostic.
    private static let namesPerBudget = 1_000

    init(index: String, offsets: String) throws {
        self.index = try SymbolIndex(MappedBytes.of(path: index))
        self.offsets = Array(try OffsetList(path: offsets).offsets.prefix(200_000))
    }

    func measure() throws {
        let (names, files) = try textsInOrderOfAppearance()
        try reportPart("verify an index", per: "entry") {
            try index.verify()
            return index.entryCount
        }
        try reportPart("lookup, numbers", per: "address") {
            var frames = 0
            for offset in offsets { _ = try index.walk(at: offset) { _ in frames += 1 } }
            return frames > 0 ? offsets.count : 0
        }
        var texts: [String] = []
        texts.reserveCapacity(names.count)
        try reportPart("decode a name", per: "name") {
            for name in names { texts.append(try index.name(name) ?? "") }
            return texts.count
        }
        try reportPart("decode a file", per: "file") {
            var bytes = 0
            for file in files { bytes += try index.file(file).name.utf8.count }
            return bytes > 0 ? files.count : 0
        }
        try measureDemangling(texts)
    }

    /// The cost of demangling covers this process only; names that may expand without limit are
    /// demangled in a child process.
    private func measureDemangling(_ names: [String]) throws {
        let demangler = Demangler()
        try reportPart("demangle a name", per: "distinct name") {
            var bytes = 0
            for start in stride(from: 0, to: names.count, by: Self.namesPerBudget) {
                var budget = DemanglingBudget()
                let end = min(start + Self.namesPerBudget, names.count)
                for shown in demangler.demangle(Array(names[start..<end]), budget: &budget) {
                    bytes += shown.text.utf8.count
                }
            }
            return bytes > 0 ? names.count : 0
        }
    }

    /// Returns the distinct names and files of all results, in random order like the offsets.
    private func textsInOrderOfAppearance() throws -> ([IndexedName], [IndexedFile]) {
        var names: [IndexedName] = []
        var files: [IndexedFile] = []
        var seenNames: Set<IndexedName> = []
        var seenFiles: Set<IndexedFile> = []
        for offset in offsets {
            _ = try index.walk(at: offset) { frame in
                if seenNames.insert(frame.name).inserted { names.append(frame.name) }
                if let file = frame.file, seenFiles.insert(file).inserted { files.append(file) }
            }
        }
        return (names, files)
    }
}

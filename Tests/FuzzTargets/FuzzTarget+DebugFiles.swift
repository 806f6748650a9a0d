import ByteReading
import CallStacks
import DebugFiles
import Dwarf
import IndexSupport
import SymbolIndexes

extension FuzzTarget {
    func readDebugFile(_ input: [UInt8]) throws {
        let file = FileBytes(input)
        guard let contents = try? DebugFile.slices(of: file, name: "fuzzed") else { return }
        for slice in contents.files {
            _ = slice.summary()
            var builder = SymbolIndexBuilder(image: slice.indexedImage, layout: slice.layout)
            let summary = slice.read(into: &builder)
            let notes = IndexNotes(
                producers: summary.producers, warnings: summary.warnings.map(\.text))
            try checkIndex(builder, notes: notes, code: slice.layout.code)
        }
    }

    func readDwarf(_ input: [UInt8]) throws {
        let packed = PackedSections(input)
        let layout = PackedSections.layout
        let reader = DwarfReader(
            sections: packed.sections, splitFiles: packed.splitFiles, layout: layout,
            architecture: packed.architecture)
        _ = reader.splitReferences()
        _ = try? reader.summary()
        var builder = SymbolIndexBuilder(
            image: IndexedImage(
                id: .example, identityKind: .uuid, architecture: packed.architecture,
                base: layout.base),
            layout: layout)
        guard let summary = try? reader.read(into: &builder) else { return }
        try checkIndex(
            builder, notes: IndexNotes(producers: summary.producers), code: layout.code)
    }

    /// Checks that the index of any records is sound: it opens, and every lookup returns a result.
    private func checkIndex(
        _ builder: SymbolIndexBuilder, notes: IndexNotes, code: [Range<ImageOffset>]
    ) throws {
        // Records beyond the limits of the format have no index.
        guard let bytes = try? builder.encode(notes: notes) else { return }
        let index = try SymbolIndex(FileBytes(bytes))
        try index.verify()
        let producers = Set(notes.producers)
        try promise("notes come back", try index.notes().producers.allSatisfy(producers.contains))
        for offset in probes(of: code) {
            guard let answer = try index.frames(at: offset) else { continue }
            try promise("an answer has a frame", !answer.frames.isEmpty)
            try promise("a function starts before its code", answer.functionStart <= offset)
            for depth in answer.frames.indices.prefix(4) {
                _ = try index.nearestLine(at: offset, depth: depth)
            }
        }
        var ink = Ink()
        try index.dump(to: &ink)
    }

    /// Returns both ends of the first code sections, and positions in between, dense at the start.
    private func probes(of code: [Range<ImageOffset>]) -> [ImageOffset] {
        code.prefix(16).flatMap { section in
            let (start, end) = (section.lowerBound.rawValue, section.upperBound.rawValue)
            let steps = (0..<UInt64.bitWidth).lazy.map { UInt64(1) << UInt64($0) }
            let between = steps.prefix { $0 < end - start }.map { start + $0 }
            let even = stride(from: start, to: end, by: Int(clamping: (end - start) / 64 + 1))
            return ([start, end - 1] + between + even).map { ImageOffset($0) }
        }
    }
}

/// Discards text, because a dump of hostile debug information may be long.
struct Ink: TextOutputStream {
    private(set) var byteCount = 0

    mutating func write(_ text: String) { byteCount += text.utf8.count }
}

extension DebugFile {
    var indexedImage: IndexedImage {
        IndexedImage(
            id: id ?? .example, identityKind: kind.isELF ? .buildID : .uuid,
            architecture: architecture, base: layout.base)
    }
}

extension ImageID {
    /// The identity for files without one.
    static let example: ImageID = {
        guard let id = ImageID(bytes: [UInt8](1...16)) else {
            preconditionFailure("sixteen bytes are an identity")
        }
        return id
    }()
}

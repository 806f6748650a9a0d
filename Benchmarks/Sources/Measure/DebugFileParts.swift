import ByteReading
import CallStacks
import DebugFiles
import Dwarf
import SymbolIndexes
import SymbolStores

/// Measures the parts of building an index, one after the other.
struct DebugFileParts {
    private let file: DebugFile

    init(path: String) throws {
        file = try OpenedDebugFile(path: path, architecture: nil).file
    }

    /// Measures reading, adding records, and encoding.
    ///
    /// The file is read once before the measurement, so that it is in the page cache and the
    /// allocator has grown.
    func measure() throws {
        let byteCount = dwarfByteCount
        var warming = DiscardingSink()
        _ = file.read(into: &warming)
        let dropped = processorNanoseconds {
            var sink = DiscardingSink()
            _ = file.read(into: &sink)
        }
        let part = "read DWARF and symbols, drop the records"
        try report(part, per: "byte of DWARF", byteCount, dropped.nanoseconds)
        try report(part, per: "record", warming.recordCount, dropped.nanoseconds)
        var builder = SymbolIndexBuilder(image: try image, layout: file.layout)
        try reportPart("read them into an index builder", per: "record") {
            _ = file.read(into: &builder)
            return warming.recordCount
        }
        let encoded = try processorNanoseconds { try builder.encode(notes: IndexNotes()) }
        let entries = try SymbolIndex(FileBytes(encoded.result)).entryCount
        try report("encode the index", per: "entry", entries, encoded.nanoseconds)
    }

    /// Measures decompression, for a file with compressed sections.
    func measureInflating() throws {
        try reportPart("inflate sections", per: "inflated byte") { dwarfByteCount }
    }

    /// The size of the sections that are read. Accessing it decompresses them.
    private var dwarfByteCount: Int {
        guard let sections = file.dwarfSections else { return 0 }
        return DwarfSections.Name.allCases.reduce(0) { $0 + sections.bytes($1).count }
    }

    private var image: IndexedImage {
        get throws {
            guard let id = file.id else { throw MeasureError("the debug file has no identity") }
            return IndexedImage(
                id: id, identityKind: file.kind.isELF ? .buildID : .uuid,
                architecture: file.architecture, base: file.layout.base)
        }
    }
}

import ByteReading
import CallStacks
import DebugFiles
import JSONText
import SymbolStores

/// A list of the files that a debug file may be indexed with, for a worker process: one JSON object
/// per line.
struct CompanionList: Sendable {
    struct Entry: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            /// A file of an upload.
            case file(CompanionFiles.File)
            /// A blob with a file, to be decompressed.
            case blob(CompanionFiles.File)
            /// A blob with a ``CompanionBundle``.
            case bundle(path: String)
        }

        var content: Content
        /// The size of the content, after decompression.
        var byteCount: Int64
    }

    var entries: [Entry] = []

    var byteCount: Int64 { entries.reduce(0) { $0 + $1.byteCount } }

    init(_ entries: [Entry]) { self.entries = entries }

    /// - Throws: ``StorageError`` if the list cannot be written.
    func write(to path: String) throws(StorageError) {
        var output = try DurableFileWriter(at: path)
        for entry in entries {
            var writer = JSONWriter()
            entry.write(to: &writer)
            try output.write((writer.bytes + [UInt8(ascii: "\n")]).span)
        }
    }

    /// Reads a list that ``write(to:)`` wrote.
    init(path: String) throws {
        let bytes = try MappedFile.bytes(of: path)
        let text = bytes.withSpan(of: 0..<bytes.count) { span in
            unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
        }
        entries = text.split(separator: UInt8(ascii: "\n")).compactMap { line in
            JSONDocument(Array(line)).root.flatMap(Entry.init)
        }
    }
}

extension CompanionList.Entry {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("bytes")
        writer.signed(byteCount)
        switch content {
        case .file(let file), .blob(let file):
            writer.member("path", file.path)
            writer.member("name", file.name)
            writer.member("kind", file.kind.word)
            if case .blob = content { writer.member("form", "blob") }
        case .bundle(let path):
            writer.member("path", path)
            writer.member("form", "bundle")
        }
        writer.endObject()
    }

    fileprivate init?(_ json: JSONValue) {
        guard let path = json["path"]?.string, let bytes = json["bytes"]?.unsigned
        else { return nil }
        byteCount = Int64(clamping: bytes)
        if json["form"]?.string == "bundle" {
            content = .bundle(path: path)
            return
        }
        guard let name = json["name"]?.string,
            let kind = json["kind"]?.string.flatMap({ CompanionFiles.Kind(word: $0) })
        else { return nil }
        let file = CompanionFiles.File(path: path, name: name, kind: kind)
        content = json["form"]?.string == "blob" ? .blob(file) : .file(file)
    }
}

extension CompanionFiles.Kind {
    /// The kind as a word: `object`, `package`, or the build ID of a supplementary file.
    var word: String {
        switch self {
        case .splitUnits(.object): "object"
        case .splitUnits(.package): "package"
        case .supplement(let id): id.hex
        }
    }

    init?(word: String) {
        switch word {
        case "object": self = .splitUnits(.object)
        case "package": self = .splitUnits(.package)
        default:
            guard let id = ImageID(word) else { return nil }
            self = .supplement(id)
        }
    }
}

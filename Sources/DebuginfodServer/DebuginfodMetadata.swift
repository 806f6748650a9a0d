public import CallStacks
import JSONText
public import SymbolIntake

/// The search of debuginfod 0.192 and later, for the files that have a name, match a pattern, or
/// belong to a build ID.
///
/// The response is `{"results": [{"type", "buildid", "file"}…], "complete": true}`.
public struct DebuginfodMetadata: Sendable {
    public enum Key: Hashable, Sendable {
        case file(String)
        case glob(String)
        case buildID(ImageID)
    }

    /// The maximum length of a file name or pattern, in bytes.
    public static let valueLimit = 4_096
    /// The maximum number of stored files that a search reads.
    static let fileLimit = 10_000

    private let catalogue: any Catalogue
    private let access: DebugFileAccess

    public init(_ catalogue: any Catalogue, for access: DebugFileAccess) {
        self.catalogue = catalogue
        self.access = access
    }

    /// Returns the response as JSON.
    public func search(_ key: Key) async throws(StorageError) -> [UInt8] {
        var query = DebugFileQuery(limit: Self.fileLimit)
        query.access = access
        if case .buildID(let image) = key { query.image = image }
        let files = try await catalogue.debugFiles(query)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("results")
        writer.beginArray()
        let matches = Self.condition(key)
        for file in files.flatMap(\.downloads)
        where file.isELF && !file.isOfSystem && matches(file) {
            for kind in DebuginfodFiles.Kind.allCases where file.serves(kind) {
                Self.write(file, kind: kind, to: &writer)
            }
        }
        writer.endArray()
        writer.key("complete")
        writer.bool(files.count < Self.fileLimit)
        writer.endObject()
        return writer.bytes
    }

    /// Returns the condition that a file has to meet.
    private static func condition(_ key: Key) -> (StoredDebugFile) -> Bool {
        switch key {
        case .file(let name):
            return { file in file.name == name || path(of: file) == name }
        case .glob(let text):
            let pattern = GlobPattern(text)
            return { file in pattern.matches(file.name) || pattern.matches(path(of: file)) }
        case .buildID: return { _ in true }
        }
    }

    /// Returns the name as an absolute path, which clients expect. The folder on the sender's disk
    /// is unknown.
    private static func path(of file: StoredDebugFile) -> String {
        file.name.hasPrefix("/") ? file.name : "/\(file.name)"
    }

    private static func write(
        _ file: StoredDebugFile, kind: DebuginfodFiles.Kind, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.key("type")
        writer.string(kind.rawValue)
        writer.key("buildid")
        writer.string(file.image.hex)
        writer.key("file")
        writer.string(path(of: file))
        writer.endObject()
    }
}

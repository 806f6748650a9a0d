import ByteReading
import CallStacks
import Glibc
import HexadecimalDigits
import SymbolIndexes
import SymbolStores

/// The folder of built indexes, one per debug file. They can be deleted at any time.
///
/// A file's name has the identity, the architecture and the start of the blob's name, and of that
/// of its companions, because several files of one image may be stored. A file is renamed into place, and never changes.
struct IndexFiles: Sendable {
    /// A valid index of the requested file, with its mapped bytes.
    struct Mapped: Sendable {
        let index: SymbolIndex
        let bytes: FileBytes
    }

    let folder: String
    /// The uses of files, if their size is limited.
    let uses: IndexFileUses?

    /// - Parameter bytesLimit: The limit for ``removeExcess()``, or `nil` to keep all files.
    init(folder: String, bytesLimit: Int64? = nil) {
        self.folder = folder
        uses = bytesLimit.map { IndexFileUses(bytesLimit: $0) }
    }

    /// The builder revision of the indexes that this version of the program uses.
    static var format: Int { Int(SymbolIndexBuilder.revision) }

    private static let ending = ".symidx"
    /// 128 bits of the blob's SHA-256. An index's contents decide whether it matches.
    private static let digestDigits = 32

    func path(of file: DebugFileKey) -> String { "\(folder)/\(Self.name(of: file))" }

    static func name(of file: DebugFileKey) -> String {
        let companions = file.companions.map { "-\($0.prefix(digestDigits))" } ?? ""
        return "\(file.image.hex)-\(file.architecture)-\(file.blob.prefix(digestDigits))"
            + companions + ending
    }

    /// Returns a debug file's index, or `nil` unless this version of the program built it from
    /// exactly this file.
    func index(of file: StoredDebugFile) -> Mapped? {
        guard let mapped = Self.index(at: path(of: file.key), of: file) else { return nil }
        uses?.recordUse(of: Self.name(of: file.key))
        return mapped
    }

    /// Returns the index in a file, or `nil` if it is not an index of `file`.
    static func index(at path: String, of file: StoredDebugFile) -> Mapped? {
        guard let bytes = try? MappedFile.bytes(of: path) else { return nil }
        return index(in: bytes, of: file)
    }

    private static func index(in bytes: FileBytes, of file: StoredDebugFile) -> Mapped? {
        guard let index = try? SymbolIndex(bytes), index.isCurrent,
            index.image.id == file.image, index.image.architecture.name == file.architecture,
            index.debugFileDigest?.hexadecimal == file.blob
        else { return nil }
        return Mapped(index: index, bytes: bytes)
    }

    /// Moves a newly built index to its final path.
    ///
    /// - Returns: The index, or `nil` if it is not an index of `file`.
    func adopt(_ draft: String, of file: StoredDebugFile) throws(StorageError) -> Mapped? {
        guard let mapped = Self.index(at: draft, of: file) else { return nil }
        try move(draft, to: path(of: file.key))
        uses?.add(Self.name(of: file.key), byteCount: Int64(mapped.bytes.count))
        return mapped
    }

    func remove(_ file: DebugFileKey) throws(StorageError) { try remove(Self.name(of: file)) }

    private func remove(_ name: String) throws(StorageError) {
        try removeFile("\(folder)/\(name)")
        uses?.remove(name)
    }

    /// Finds the files of earlier processes, if their size is limited. Call this first.
    func prepare() throws {
        uses?.add(filesIn: folder, try names().values.flatMap(\.self))
    }

    /// Removes the least recently used files beyond the limit.
    ///
    /// - Returns: Their names.
    func removeExcess() -> [String] {
        let names = uses?.removeExcess() ?? []
        // A file that cannot be removed is found again by the next process.
        for name in names { try? removeFile("\(folder)/\(name)") }
        return names
    }

    /// Returns the names of all index files, by image. Other files are ignored.
    func names() throws -> [ImageID: [String]] {
        let names = try folderEntries(of: folder).filter { $0.hasSuffix(Self.ending) }
        var named: [ImageID: [String]] = [:]
        for name in names {
            guard let image = ImageID(name.prefix { $0 != "-" }) else { continue }
            named[image, default: []].append(name)
        }
        return named
    }

    /// Removes the indexes of an image that match none of its stored files. This includes indexes
    /// of earlier versions, named without the file; they are rebuilt on demand.
    func remove(_ names: [String], besidesThoseOf stored: [StoredDebugFile]) throws(StorageError) {
        let wanted = Set(stored.map { Self.name(of: $0.key) })
        for name in names where !wanted.contains(name) { try remove(name) }
    }
}

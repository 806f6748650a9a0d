import ByteReading
import CallStacks
import Glibc
import SymbolIndexes
import SymbolStores

/// The built indexes: one file for each debug file, which can be deleted at any time.
///
/// Its name has the identity, the architecture and the start of the blob's name, because several
/// files of one image may be stored. A file appears by being renamed and never changes.
struct IndexFiles: Sendable {
    /// An index that fits what is asked of it, with the bytes that it reads.
    struct Mapped: Sendable {
        let index: SymbolIndex
        let bytes: FileBytes
    }

    let folder: String

    private static let ending = ".symidx"
    /// 128 bits of the blob's SHA-256: whether an index is that of a file, its contents decide.
    private static let digestDigits = 32

    func path(of file: DebugFileKey) -> String { "\(folder)/\(Self.name(of: file))" }

    private static func name(of file: DebugFileKey) -> String {
        "\(file.image.hex)-\(file.architecture)-\(file.blob.prefix(digestDigits))\(ending)"
    }

    /// The index of a debug file; `nil` where there is none that this version of the program built
    /// from this very file.
    func index(of file: StoredDebugFile) -> Mapped? {
        guard let bytes = try? MappedFile.bytes(of: path(of: file.key)) else { return nil }
        return Self.index(in: bytes, of: file)
    }

    private static func index(in bytes: FileBytes, of file: StoredDebugFile) -> Mapped? {
        guard let index = try? SymbolIndex(bytes), index.isCurrent,
            index.image.id == file.image, index.image.architecture.name == file.architecture,
            index.debugFileDigest?.hexadecimal == file.blob
        else { return nil }
        return Mapped(index: index, bytes: bytes)
    }

    /// Puts a built index in its place.
    ///
    /// - Returns: The index, or `nil` where it is not one of `file`.
    func adopt(_ draft: String, of file: StoredDebugFile) throws(FileFailure) -> Mapped? {
        guard let bytes = try? MappedFile.bytes(of: draft),
            let mapped = Self.index(in: bytes, of: file)
        else { return nil }
        try move(draft, to: path(of: file.key))
        return mapped
    }

    func remove(_ file: DebugFileKey) throws(FileFailure) { try removeFile(path(of: file)) }

    /// The images that there are indexes of, with the names of these. Files that are not ours are
    /// not counted.
    func names() throws -> [ImageID: [String]] {
        let names = try folderEntries(of: folder).filter { $0.hasSuffix(Self.ending) }
        var named: [ImageID: [String]] = [:]
        for name in names {
            guard let image = ImageID(name.prefix { $0 != "-" }) else { continue }
            named[image, default: []].append(name)
        }
        return named
    }

    /// Removes indexes of an image that are of none of its stored files. Those of earlier versions,
    /// which were named without the file, are among them and are built again when they are wanted.
    func remove(_ names: [String], besidesThoseOf stored: [StoredDebugFile]) throws(FileFailure) {
        let wanted = Set(stored.map { Self.name(of: $0.key) })
        for name in names where !wanted.contains(name) { try removeFile("\(folder)/\(name)") }
    }
}

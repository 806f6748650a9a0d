import ByteReading
import CallStacks
import Glibc
import SymbolIndexes
import SymbolStores

/// The built indexes: one file for each identity and architecture, which can be deleted at any time.
///
/// A file appears by being renamed and never changes.
struct IndexFiles: Sendable {
    /// An index that fits what is asked of it, with the bytes that it reads.
    struct Mapped: Sendable {
        let index: SymbolIndex
        let bytes: FileBytes
    }

    let folder: String

    private static let ending = ".symidx"

    func path(of image: ImageID, _ architecture: String) -> String {
        "\(folder)/\(image.hex)-\(architecture)\(Self.ending)"
    }

    /// The index of a debug file; `nil` where there is none that this version of the program built
    /// from this very file.
    func index(of file: StoredDebugFile) -> Mapped? {
        let path = path(of: file.image, file.architecture)
        guard let bytes = try? MappedFile.bytes(of: path) else { return nil }
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
        try move(draft, to: path(of: file.image, file.architecture))
        return mapped
    }

    func remove(_ image: ImageID, _ architecture: String) throws(FileFailure) {
        try removeFile(path(of: image, architecture))
    }

    /// What there is an index of. Files that are not ours are not counted.
    func all() throws -> [(image: ImageID, architecture: String)] {
        try folderEntries(of: folder).compactMap { name in
            guard name.hasSuffix(Self.ending), let hyphen = name.firstIndex(of: "-"),
                let image = ImageID(name[..<hyphen])
            else { return nil }
            let architecture = name[hyphen...].dropFirst().dropLast(Self.ending.count)
            return (image, String(architecture))
        }
    }
}

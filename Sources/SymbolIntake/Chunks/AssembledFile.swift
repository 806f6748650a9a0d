public import CallStacks
import Foundation
import SymbolStores

/// A debug file that was uploaded in chunks, as stored.
public struct AssembledFile: Hashable, Sendable {
    public var image: ImageID
    public var architecture: String
    public var name: String
    public var kind: String
    /// The contents of the file, or why an earlier file was kept.
    public var detail: String
    /// The blob of the owner's debug file for this image, which is this file or a better one.
    var blob: String
}

/// The results of earlier chunked uploads, by the checksum of the whole file:
/// `assembled/OWNER/SHA-1`.
///
/// They can be deleted. A client then sends its file again, and it is a duplicate.
struct AssembledFiles: Sendable {
    let folder: String

    /// The lifetime of a result, in seconds. Builds are rarely uploaded again after weeks.
    static let lifetimeSeconds: Int64 = 90 * 86_400

    private struct Note: Codable {
        var image: String
        var architecture: String
        var name: String
        var kind: String
        var detail: String
        var blob: String
    }

    func file(with checksum: SHA1Checksum, of owner: SymbolOwner) -> AssembledFile? {
        guard let data = FileManager.default.contents(atPath: path(of: checksum, owner: owner)),
            let note = try? JSONDecoder().decode(Note.self, from: data),
            let image = ImageID(note.image)
        else { return nil }
        return AssembledFile(
            image: image, architecture: note.architecture, name: note.name, kind: note.kind,
            detail: note.detail, blob: note.blob)
    }

    func record(_ file: AssembledFile, as checksum: SHA1Checksum, of owner: SymbolOwner) throws {
        try DataFolders.make(folder(of: owner))
        let note = Note(
            image: file.image.hex, architecture: file.architecture, name: file.name,
            kind: file.kind, detail: file.detail, blob: file.blob)
        try JSONEncoder().encode(note).write(
            to: URL(filePath: path(of: checksum, owner: owner)), options: .atomic)
    }

    func remove(_ checksum: SHA1Checksum, of owner: SymbolOwner) {
        try? FileManager.default.removeItem(atPath: path(of: checksum, owner: owner))
    }

    /// Removes old results.
    func removeExpired(at now: UnixTime) throws {
        for owner in try folderEntries(of: folder) where ChunkSender(folderName: owner) != nil {
            for name in try folderEntries(of: "\(folder)/\(owner)") {
                let path = "\(folder)/\(owner)/\(name)"
                let age = try Int64(now.seconds) - FileStatus(of: path).modifiedSeconds
                if SHA1Checksum(name) != nil, age > Self.lifetimeSeconds { try removeFile(path) }
            }
        }
    }

    private func folder(of owner: SymbolOwner) -> String {
        "\(folder)/\(ChunkSender(app: owner.app).folderName)"
    }

    private func path(of checksum: SHA1Checksum, owner: SymbolOwner) -> String {
        "\(folder(of: owner))/\(checksum.text)"
    }
}

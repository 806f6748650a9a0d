import CallStacks
import Crypto
import SymbolStores

/// The uploaded bitcode symbol maps, and the property lists that refer to them:
/// `symbol-maps/OWNER/FILE`.
///
/// A map restores the names that a bitcode build hid in the dSYMs of one owner. Indexes are built
/// with the available maps, so a new map causes the indexes of its images to be rebuilt.
struct SymbolMapStore: Sendable {
    let folder: String

    /// The maximum size of a map, in bytes. Those of the largest apps have some tens of megabytes.
    static let byteLimit: Int64 = 64 << 20
    /// The lifetime of a part that no debug file uses, in seconds.
    private static let unusedSeconds: Int64 = 7 * 86_400

    /// Returns the maps of an owner.
    func maps(of owner: SymbolOwner) -> SymbolMapFolder {
        SymbolMapFolder(path: "\(folder)/\(ChunkSender(app: owner.app).folderName)")
    }

    /// Moves a file into the folder of its owner.
    func keep(fileAt path: String, as part: SymbolMapFolder.Part, of owner: SymbolOwner) throws {
        let maps = maps(of: owner)
        try DataFolders.make(maps.path)
        try flush(path)
        try move(path, to: maps.location(of: part))
        try flush(maps.path)
    }

    /// Whether a part is stored with this content.
    func contains(
        _ part: SymbolMapFolder.Part, _ checksum: SHA1Checksum, of owner: SymbolOwner
    ) -> Bool {
        let path = maps(of: owner).location(of: part)
        guard (try? FileStatus(of: path)) != nil else { return false }
        var hash = Insecure.SHA1()
        do {
            try readPieces(of: path) { piece in
                unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
            }
        } catch { return false }
        return SHA1Checksum(digest: hash.finalize()) == checksum
    }

    /// Removes the parts of images without a stored debug file, a week after they arrived.
    func removeUnused(at now: UnixTime, _ catalogue: any Catalogue) async throws {
        for name in try folderEntries(of: folder) where ChunkSender(folderName: name) != nil {
            let maps = SymbolMapFolder(path: "\(folder)/\(name)")
            for part in maps.parts {
                let path = maps.location(of: part)
                let age = try Int64(now.seconds) - FileStatus(of: path).modifiedSeconds
                guard age > Self.unusedSeconds else { continue }
                var isUsed = false
                for image in maps.images(using: part) where !isUsed {
                    isUsed = try await !catalogue.debugFiles(of: image).isEmpty
                }
                if !isUsed { try removeFile(path) }
            }
        }
    }
}

import CallStacks
import Crypto
import SymbolStores

/// The uploaded bitcode symbol maps, and the property lists that refer to them:
/// `symbol-maps/OWNER/FILE`.
///
/// A map restores the names that a bitcode build hid in the dSYMs of one owner. Indexes are built
/// with the available maps, so a new map causes the indexes of its images to be rebuilt.
///
/// With several nodes, the folder has copies of the parts that this node needed.
struct SymbolMapStore: Sendable {
    let folders: DataFolders
    /// The parts that all nodes share, or `nil` for a service of one process.
    let shared: (any SharedFileStore)?
    /// Returns the time that all nodes agree on. The times of the files are of the same clock.
    let now: @Sendable () -> UnixTime

    private var folder: String { folders.symbolMaps }

    /// The maximum size of a map, in bytes. Those of the largest apps have some tens of megabytes.
    static let byteLimit: Int64 = 64 << 20
    /// The lifetime of a part that no debug file uses, in seconds.
    private static let unusedSeconds: Int64 = 7 * 86_400

    /// Returns the maps of an owner.
    func maps(of owner: SymbolOwner) -> SymbolMapFolder {
        SymbolMapFolder(path: "\(folder)/\(ChunkSender(app: owner.app).folderName)")
    }

    /// Moves a file into the folder of its owner, and shares it.
    func keep(
        fileAt path: String, as part: SymbolMapFolder.Part, of owner: SymbolOwner
    ) async throws {
        let maps = maps(of: owner)
        try DataFolders.make(maps.path)
        try setModificationTime(of: path, to: now())
        try flush(path)
        try move(path, to: maps.location(of: part))
        try flush(maps.path)
        try await shared?.keep(
            fileAt: maps.location(of: part), as: name(of: part, of: owner), for: nil)
        // The images of a map are those whose property lists refer to it.
        if shared != nil { try await fetchPropertyLists(of: owner) }
    }

    /// Whether a part is stored with this content.
    func contains(
        _ part: SymbolMapFolder.Part, checksum: SHA1Checksum, of owner: SymbolOwner
    ) async throws(StorageError) -> Bool {
        _ = try await fetch([part], of: owner)
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

    /// Fetches the parts with the names of an image that other nodes received.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    func update(for image: ImageID, of owner: SymbolOwner) async throws(StorageError) -> Bool {
        guard shared != nil else { return false }
        let own = try await fetch([.propertyList(image), .map(image)], of: owner)
        guard let build = maps(of: owner).build(of: image), build != image else { return own }
        return try await fetch([.map(build)], of: owner) || own
    }

    private func fetchPropertyLists(of owner: SymbolOwner) async throws(StorageError) {
        let files = try await shared?.files(under: prefix(of: owner)) ?? []
        let names = files.map { String($0.name.dropFirst(prefix(of: owner).count)) }
        _ = try await fetch(
            names.compactMap { name in
                guard case .propertyList(let image)? = SymbolMapFolder.Part(named: name) else {
                    return nil
                }
                return .propertyList(image)
            }, of: owner)
    }

    /// Fetches the shared parts that are not in the folder.
    ///
    /// - Returns: Whether there were any.
    private func fetch(
        _ parts: [SymbolMapFolder.Part], of owner: SymbolOwner
    ) async throws(StorageError) -> Bool {
        guard let shared else { return false }
        var hasFetched = false
        for part in parts {
            let target = maps(of: owner).location(of: part)
            guard (try? FileStatus(of: target)) == nil else { continue }
            let draft = folders.newIncomingPath()
            guard try await shared.fetch(name(of: part, of: owner), to: draft) else { continue }
            try DataFolders.make(maps(of: owner).path)
            try setModificationTime(of: draft, to: now())
            try move(draft, to: target)
            hasFetched = true
        }
        return hasFetched
    }

    private func prefix(of owner: SymbolOwner) -> String {
        Self.sharedPrefix(ofFolder: ChunkSender(app: owner.app).folderName)
    }

    /// Returns the start of the names of shared parts.
    ///
    /// - Parameter name: The name of their owner's folder.
    static func sharedPrefix(ofFolder name: String) -> String { "symbol-maps/\(name)/" }

    private func name(of part: SymbolMapFolder.Part, of owner: SymbolOwner) -> String {
        prefix(of: owner) + part.fileName
    }

    /// Removes the parts of images without a stored debug file, a week after they arrived.
    func removeUnused(catalogue: any Catalogue) async throws {
        let now = now()
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
                guard !isUsed else { continue }
                try removeFile(path)
                try await shared?.remove([Self.sharedPrefix(ofFolder: name) + part.fileName])
            }
        }
    }
}

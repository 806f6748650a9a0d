import CallStacks
import Crypto
import SymbolStores

/// The uploaded bitcode symbol maps, and the property lists that refer to them:
/// `symbol-maps/OWNER/FILE`.
///
/// A map restores the names that a bitcode build hid in the dSYMs of one owner. Indexes are built
/// with the available maps, so a new map causes the indexes of its images to be rebuilt.
///
/// With several nodes, the folder has copies of the parts that this node needed. A copy may be
/// outdated, because another node may have replaced or removed the part.
struct SymbolMapStore: Sendable {
    let folders: DataFolders
    /// The parts that all nodes share, or `nil` for a service of one process.
    let shared: (any SharedFileStore)?
    /// Returns the time that all nodes share. The files' times are those of the same clock.
    let now: @Sendable () -> UnixTime

    private var folder: String { folders.symbolMaps }

    /// The maximum size of a map, in bytes. Those of the largest apps have some tens of megabytes.
    static let byteLimit: Int64 = 64 << 20
    /// The lifetime of a part that no debug file uses, in seconds.
    static let unusedSeconds: Int64 = 7 * 86_400

    /// Returns the maps of an owner.
    func maps(of owner: SymbolOwner) -> SymbolMapFolder {
        SymbolMapFolder(path: "\(folder)/\(ChunkSender(app: owner.app).folderName)")
    }

    /// Shares a file, and moves it into the folder of its owner.
    func keep(
        fileAt path: String, as part: SymbolMapFolder.Part, of owner: SymbolOwner
    ) async throws {
        let maps = maps(of: owner)
        try DataFolders.make(maps.path)
        try setModificationTime(of: path, to: now())
        try flush(path)
        try await shared?.keep(
            fileAt: path, as: sharedName(of: part, in: maps), for: .seconds(Self.unusedSeconds))
        try move(path, to: maps.location(of: part))
        try flush(maps.path)
        // The images of a map are those whose property lists refer to it.
        try await fetchPropertyLists(of: maps)
    }

    /// Whether a part is stored with this content.
    func contains(
        _ part: SymbolMapFolder.Part, checksum: SHA1Checksum, of owner: SymbolOwner
    ) async throws(StorageError) -> Bool {
        let maps = maps(of: owner)
        if let shared {
            guard let file = try await shared.file(sharedName(of: part, in: maps)) else {
                return false
            }
            _ = try await fetch(file, as: part, into: maps)
        }
        let digest = Self.digest(of: maps.location(of: part), as: Insecure.SHA1.self)
        return digest.map(SHA1Checksum.init(digest:)) == checksum
    }

    /// Returns the digest of a file, or `nil` if it cannot be read.
    private static func digest<Function: HashFunction>(
        of path: String, as _: Function.Type
    ) -> Function.Digest? {
        var hash = Function()
        do {
            try readPieces(of: path) { piece in
                unsafe piece.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
            }
        } catch { return nil }
        return hash.finalize()
    }

    /// Fetches the parts with the names of an image that other nodes received.
    ///
    /// - Returns: Whether there were any.
    @discardableResult
    func update(for image: ImageID, of owner: SymbolOwner) async throws(StorageError) -> Bool {
        guard shared != nil else { return false }
        let maps = maps(of: owner)
        let hasList = try await fetch(.propertyList(image), into: maps)
        let hasMap = try await fetch(.map(image), into: maps)
        guard let build = maps.build(of: image), build != image else { return hasList || hasMap }
        return try await fetch(.map(build), into: maps) || hasList || hasMap
    }

    private func fetchPropertyLists(of maps: SymbolMapFolder) async throws(StorageError) {
        let prefix = Self.sharedPrefix(of: maps)
        for file in try await shared?.files(under: prefix) ?? [] {
            guard let part = SymbolMapFolder.Part(named: String(file.name.dropFirst(prefix.count))),
                case .propertyList = part
            else { continue }
            _ = try await fetch(file, as: part, into: maps)
        }
    }

    private func fetch(
        _ part: SymbolMapFolder.Part, into maps: SymbolMapFolder
    ) async throws(StorageError) -> Bool {
        guard let file = try await shared?.file(sharedName(of: part, in: maps)) else {
            return false
        }
        return try await fetch(file, as: part, into: maps)
    }

    /// Fetches a shared part unless the folder has a copy with the same content.
    ///
    /// - Returns: Whether it was fetched.
    private func fetch(
        _ file: SharedFile, as part: SymbolMapFolder.Part, into maps: SymbolMapFolder
    ) async throws(StorageError) -> Bool {
        let target = maps.location(of: part)
        guard let shared, !Self.hasContent(of: file, at: target) else { return false }
        let draft = folders.newIncomingPath()
        guard try await shared.fetch(file.name, to: draft) else { return false }
        try DataFolders.make(maps.path)
        try setModificationTime(of: draft, to: now())
        try move(draft, to: target)
        return true
    }

    private static func hasContent(of file: SharedFile, at path: String) -> Bool {
        guard (try? FileStatus(of: path).size) == file.byteCount else { return false }
        return digest(of: path, as: SHA256.self).map { Array($0) } == file.sha256
    }

    /// The start of the names of all shared parts.
    private static let sharedPrefix = "symbol-maps/"

    /// Returns the start of the names of an owner's shared parts.
    static func sharedPrefix(of maps: SymbolMapFolder) -> String {
        "\(sharedPrefix)\(maps.path.split(separator: "/").last ?? "")/"
    }

    private func sharedName(of part: SymbolMapFolder.Part, in maps: SymbolMapFolder) -> String {
        Self.sharedPrefix(of: maps) + part.fileName
    }

    /// Removes the parts of images without a stored debug file, a week after they were received.
    func removeUnused(catalogue: any Catalogue) async throws {
        let shared = try await sharedParts()
        let owners = try folderEntries(of: folder).filter { ChunkSender(folderName: $0) != nil }
        for owner in Set(owners).union(shared.keys).sorted() {
            let maps = SymbolMapFolder(path: "\(folder)/\(owner)")
            try await fetchPropertyLists(of: maps)
            let copies = maps.parts
            for part in copies where try isOld(maps.location(of: part)) {
                guard try await !isUsed(part, of: maps, catalogue: catalogue) else { continue }
                // Another node may have received it again since this node fetched its copy.
                let name = sharedName(of: part, in: maps)
                guard try await self.shared?.removeExpired(name) ?? true else { continue }
                try removeFile(maps.location(of: part))
            }
            // The nodes that had copies of these may be gone.
            for part in Set(shared[owner] ?? []).subtracting(copies)
            where try await !isUsed(part, of: maps, catalogue: catalogue) {
                _ = try await self.shared?.removeExpired(sharedName(of: part, in: maps))
            }
        }
    }

    /// Returns the shared parts by the folder names of their owners.
    private func sharedParts() async throws(StorageError) -> [String: [SymbolMapFolder.Part]] {
        var parts: [String: [SymbolMapFolder.Part]] = [:]
        for file in try await shared?.files(under: Self.sharedPrefix) ?? [] {
            let path = file.name.dropFirst(Self.sharedPrefix.count).split(separator: "/")
            guard path.count == 2, let part = SymbolMapFolder.Part(named: String(path[1])),
                ChunkSender(folderName: String(path[0])) != nil
            else { continue }
            parts[String(path[0]), default: []].append(part)
        }
        return parts
    }

    private func isOld(_ path: String) throws -> Bool {
        try Int64(now().seconds) - FileStatus(of: path).modifiedSeconds > Self.unusedSeconds
    }

    private func isUsed(
        _ part: SymbolMapFolder.Part, of maps: SymbolMapFolder, catalogue: any Catalogue
    ) async throws -> Bool {
        for image in maps.images(using: part) {
            if try await !catalogue.debugFiles(of: image).isEmpty { return true }
        }
        return false
    }
}

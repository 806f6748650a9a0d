public import Archives
import Foundation
import Glibc

/// A folder of unpacked archives that many processes share.
///
/// What is in it is derived data, as indexes are: of each archive its debug files and a record of
/// them, in a folder named by size, place and time of change of the archive. Such a folder appears by
/// being renamed, whole, and never changes.
public struct ArchiveFolder: Sendable {
    /// How much is kept, in bytes: the debug files of one large app are gigabytes. Beyond it the
    /// archives that were not used for longest go, except those in use.
    public static let bytesLimit: Int64 = 8 << 30

    public let path: String
    private let limits: ArchiveLimits

    public init(path: String, limits: ArchiveLimits = ArchiveLimits()) {
        self.path = path
        self.limits = limits
    }

    /// What an archive holds, unpacked unless it already was.
    func contents(
        of archive: String, _ status: FileStatus
    ) throws(SymbolStoreError) -> ArchiveContents {
        let folder = "\(path)/\(status.mark)-\(Self.revision)\(Self.ending)"
        if let known = kept(archive, in: folder) { return known }
        try unpack(archive, to: folder)
        guard let contents = kept(archive, in: folder) else {
            throw SymbolStoreError(
                folder, "changed while it was read", next: "try again")
        }
        // Not before it is leased: it may be larger than the limit itself.
        prune()
        return contents
    }

    /// `nil` where the archive was not unpacked before, or its record is damaged; then it goes.
    private func kept(_ archive: String, in folder: String) -> ArchiveContents? {
        guard let lease = ArchiveLease(sharing: folder) else { return nil }
        let data = FileManager.default.contents(atPath: ArchiveLease.record(of: folder)) ?? Data()
        guard let record = try? JSONDecoder().decode(ArchiveRecord.self, from: data) else {
            remove(folder)
            return nil
        }
        return record.contents(of: archive, in: folder, lease)
    }

    private func unpack(_ archive: String, to folder: String) throws(SymbolStoreError) {
        let draft = "\(folder).\(UInt64.random(in: 0 ... .max))\(IndexFolder.draftEnding)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let record = try ArchiveRecord(
                unpacking: archive, into: draft, limits: limits)
            try replaceFile(
                at: ArchiveLease.record(of: draft), with: Array(JSONEncoder().encode(record)))
        } catch {
            remove(draft)
            throw error as? SymbolStoreError ?? .unwritable(path)
        }
        // What has lost its record serves nobody, and would be in the way.
        if !FileManager.default.fileExists(atPath: ArchiveLease.record(of: folder)) {
            remove(folder)
        }
        // Of several processes that unpack one archive at once the first one's folder stays.
        if unsafe rename(draft, folder) != 0 { remove(draft) }
    }

    private func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

    /// Removes the archives that were not used for longest until the rest is within the limit, and
    /// what was left half unpacked. What is in use stays, and so do files that are not ours.
    func prune(keeping limit: Int64 = Self.bytesLimit) {
        let now = Int64(Date().timeIntervalSince1970)
        var kept: [(folder: String, lastUse: FileStatus)] = []
        for name in (try? folderEntries(of: path)) ?? [] {
            let folder = "\(path)/\(name)"
            if name.hasSuffix(Self.ending) {
                let record = try? FileStatus(of: ArchiveLease.record(of: folder))
                if let record { kept.append((folder, record)) } else { remove(folder) }
            } else if name.hasSuffix(IndexFolder.draftEnding),
                let draft = try? FileStatus(of: folder),
                draft.modifiedSeconds < now - IndexFolder.draftLifetime
            {
                remove(folder)
            }
        }
        var total: Int64 = 0
        for (folder, _) in kept.sorted(by: { $0.lastUse.isLater(than: $1.lastUse) }) {
            total += byteCount(of: folder)
            if total > limit { removeUnlessUsed(folder) }
        }
    }

    /// Renames it first, so that nobody finds half of it.
    private func removeUnlessUsed(_ folder: String) {
        guard let lease = ArchiveLease(owning: folder) else { return }
        let draft = "\(folder).\(UInt64.random(in: 0 ... .max))\(IndexFolder.draftEnding)"
        if unsafe rename(folder, draft) == 0 { remove(draft) }
        withExtendedLifetime(lease) {}
    }

    private func byteCount(of folder: String) -> Int64 {
        ((try? folderEntries(of: folder)) ?? []).reduce(0) { sum, name in
            sum + ((try? FileStatus(of: "\(folder)/\(name)").size) ?? 0)
        }
    }

    /// Of the rules by which entries are kept, and of the record.
    private static let revision = 2
    private static let ending = ".unpacked"
}

/// The right to use an unpacked archive: as long as it lives, no process removes the archive.
///
/// The system ends it with the process, however that ends.
final class ArchiveLease: Sendable {
    private let file: Int32

    /// The lease of one among many; `nil` where there is no such archive. Counts as a use of it.
    init?(sharing folder: String) {
        guard let file = Self.lockedRecord(of: folder, LOCK_SH) else { return nil }
        self.file = file
        futimens(file, nil)
    }

    /// The lease of one alone; `nil` while others have theirs.
    init?(owning folder: String) {
        guard let file = Self.lockedRecord(of: folder, LOCK_EX | LOCK_NB) else { return nil }
        self.file = file
    }

    deinit { close(file) }

    static func record(of folder: String) -> String { "\(folder)/record.json" }

    private static func lockedRecord(of folder: String, _ lock: Int32) -> Int32? {
        let path = record(of: folder)
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        // Whoever had it alone has renamed the folder by now.
        let isThere =
            flock(file, lock) == 0
            && (try? FileStatus(of: path).inode)
                == (try? FileStatus(ofOpen: file, path: path).inode)
        if !isThere { close(file) }
        return isThere ? file : nil
    }
}

extension FileStatus {
    fileprivate func isLater(than other: FileStatus) -> Bool {
        (modifiedSeconds, modifiedNanoseconds) > (other.modifiedSeconds, other.modifiedNanoseconds)
    }
}

extension SymbolStoreError {
    fileprivate static func unwritable(_ path: String) -> Self {
        Self(path, "cannot be written", next: "choose another cache with SYMBOLIST_CACHE")
    }
}

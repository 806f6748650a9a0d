public import Archives
import Foundation
import Glibc

/// A folder of unpacked archives, shared by several processes.
///
/// Like indexes, its contents are derived data: each archive has a folder with its debug files and
/// a record of them, named by size, path and change time of the archive. Such a folder is renamed
/// into place when it is complete, and never changes.
public struct ArchiveFolder: Sendable {
    /// The size limit in bytes; the debug files of one large app are gigabytes. Above it, the least
    /// recently used archives are removed, except those in use.
    public static let bytesLimit: Int64 = 8 << 30

    public let path: String
    private let limits: UnpackingLimits

    public init(path: String, limits: UnpackingLimits = UnpackingLimits()) {
        self.path = path
        self.limits = limits
    }

    /// Returns the contents of an archive, and unpacks it unless that is already done.
    func contents(
        of archive: String, status: FileStatus
    ) throws(SymbolStoreError) -> ArchiveContents {
        let folder = "\(path)/\(status.mark)-\(Self.revision)\(Self.ending)"
        if let known = kept(archive, in: folder) { return known }
        try unpack(archive, to: folder)
        guard let contents = kept(archive, in: folder) else {
            throw SymbolStoreError(
                folder, detail: "changed while it was read", suggestion: "try again")
        }
        // Prune only with the lease, because the new archive alone may exceed the limit.
        prune()
        return contents
    }

    /// Returns the contents of an unpacked archive, or `nil` if it is not there or its record is
    /// damaged. A damaged one is removed.
    private func kept(_ archive: String, in folder: String) -> ArchiveContents? {
        guard let lease = ArchiveLease(sharing: folder) else { return nil }
        let data = FileManager.default.contents(atPath: ArchiveLease.record(of: folder)) ?? Data()
        guard let record = try? JSONDecoder().decode(UnpackingRecord.self, from: data) else {
            remove(folder)
            return nil
        }
        return record.contents(of: archive, in: folder, lease: lease)
    }

    private func unpack(_ archive: String, to folder: String) throws(SymbolStoreError) {
        let draft =
            "\(folder)\(Self.ownDraftMark)\(UInt64.random(in: 0 ... .max))\(IndexFolder.draftEnding)"
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            let record = try UnpackingRecord(
                unpacking: archive, into: draft, limits: limits)
            try replaceFile(
                at: ArchiveLease.record(of: draft), with: Array(JSONEncoder().encode(record)))
        } catch {
            remove(draft)
            throw error as? SymbolStoreError ?? .unwritable(path)
        }
        // A folder without its record is useless, and its name blocks a new one.
        if !FileManager.default.fileExists(atPath: ArchiveLease.record(of: folder)) {
            remove(folder)
        }
        // If several processes unpack an archive at once, the first one's folder is kept.
        if unsafe rename(draft, folder) != 0 { remove(draft) }
    }

    /// Distinguishes the drafts of this process from those of others.
    private static let ownDraftMark = ".\(UInt64.random(in: 0 ... .max))-"

    /// Removes the drafts of this process. Files that are still being written to them are lost.
    public func removeDrafts() {
        for name in (try? folderEntries(of: path)) ?? [] where name.contains(Self.ownDraftMark) {
            // Under another name, no file can be added to it.
            let ended = "\(path)/ended-\(name)"
            if unsafe rename("\(path)/\(name)", ended) == 0 { remove(ended) }
        }
    }

    private func remove(_ folder: String) { try? FileManager.default.removeItem(atPath: folder) }

    /// Removes the least recently used archives until the rest is within the limit, and abandoned
    /// drafts. Archives in use and unrelated files are kept.
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

    /// Removes an unused archive. It is renamed first, so that no process finds it half removed.
    private func removeUnlessUsed(_ folder: String) {
        guard let lease = ArchiveLease(owning: folder) else { return }
        let draft = draftPath(of: folder)
        if unsafe rename(folder, draft) == 0 { remove(draft) }
        withExtendedLifetime(lease) {}
    }

    private func byteCount(of folder: String) -> Int64 {
        ((try? folderEntries(of: folder)) ?? []).reduce(0) { sum, name in
            sum + ((try? FileStatus(of: "\(folder)/\(name)").size) ?? 0)
        }
    }

    /// The revision of the record's format, and of the rules for which entries are unpacked.
    private static let revision = 4
    private static let ending = ".unpacked"
}

/// A lock on an unpacked archive that prevents its removal by any process.
///
/// The system releases it when the process ends, for whatever reason.
final class ArchiveLease: Sendable {
    private let file: Int32

    /// Takes a shared lock and marks the archive as used. Returns `nil` if there is no such
    /// archive.
    init?(sharing folder: String) {
        guard let file = Self.lockedRecord(of: folder, lock: LOCK_SH) else { return nil }
        self.file = file
        futimens(file, nil)
    }

    /// Takes the exclusive lock. Returns `nil` while others have a lock.
    init?(owning folder: String) {
        guard let file = Self.lockedRecord(of: folder, lock: LOCK_EX | LOCK_NB) else { return nil }
        self.file = file
    }

    deinit { close(file) }

    static func record(of folder: String) -> String { "\(folder)/record.json" }

    private static func lockedRecord(of folder: String, lock: Int32) -> Int32? {
        let path = record(of: folder)
        let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        // A process with the exclusive lock has renamed the folder in the meantime.
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
        Self(
            path, detail: "cannot be written",
            suggestion: "choose another cache with SYMBOLIST_CACHE")
    }
}

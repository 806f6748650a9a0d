import CallStacks
import Foundation
import Glibc
public import SymbolStores
import Synchronization

/// A cache folder for files from debuginfod servers, and for the misses that they reported.
///
/// Files are checked, then renamed into place, and never change. Processes share the folder.
public struct DebuginfodCache: Sendable {
    /// The size limit in bytes, above which the least recently used files are removed.
    public static let bytesLimit: Int64 = 4 << 30
    /// The time for which a reported miss is remembered, in seconds.
    static let missSeconds: Int64 = 600

    let path: String
    private let now: @Sendable () -> Int64
    /// When old misses were removed last.
    private let lastRemoval = LastRemoval()

    private final class LastRemoval: Sendable {
        let seconds = Mutex<Int64?>(nil)
    }

    /// - Parameter now: Returns the seconds since 1970.
    init(path: String, now: @escaping @Sendable () -> Int64) {
        self.path = path
        self.now = now
    }

    /// Returns the folder inside the index cache.
    public init(beside indexes: IndexFolder) {
        self.init(path: indexes.path + "/debuginfod") { Int64(Date().timeIntervalSince1970) }
    }

    /// Returns an image's file if it is cached, and records the use.
    func file(of image: ImageID) -> String? {
        let file = location(of: image)
        return unsafe utimensat(AT_FDCWD, file, nil, 0) == 0 ? file : nil
    }

    /// Returns a new path for a download.
    func draft(of image: ImageID) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return "\(location(of: image)).\(UInt64.random(in: 0 ... .max)).draft"
    }

    /// Moves a downloaded file to its final path.
    func keep(_ draft: String, of image: ImageID) -> String? {
        let file = location(of: image)
        guard unsafe rename(draft, file) == 0 else { return nil }
        // The new file is the last to be removed, even if it is larger than the limit.
        removeLeastRecentlyUsed(in: path, ending: Self.ending, keeping: Self.bytesLimit)
        return file
    }

    func recordMiss(of image: ImageID, at url: String) {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        if isRemovalDue() { removeOldMisses() }
        try? replaceFile(at: missLocation(of: image, url: url), with: [])
    }

    /// Returns whether it is time to remove old misses, and if so, restarts the interval. Removing
    /// them reads the whole folder, so it is done only once per interval.
    private func isRemovalDue() -> Bool {
        let now = self.now()
        return lastRemoval.seconds.withLock { last in
            if let last, (last..<last + Self.missSeconds).contains(now) { return false }
            last = now
            return true
        }
    }

    private func removeOldMisses() {
        let names = (try? folderEntries(of: path)) ?? []
        for name in names where name.hasSuffix(Self.missEnding) {
            let file = "\(path)/\(name)"
            if !isRecent(file) { try? FileManager.default.removeItem(atPath: file) }
        }
    }

    /// Whether a server reported a miss for an image recently.
    func isMissed(_ image: ImageID, at url: String) -> Bool {
        isRecent(missLocation(of: image, url: url))
    }

    private func isRecent(_ miss: String) -> Bool {
        guard let status = try? FileStatus(of: miss) else { return false }
        let now = self.now()
        return (now - Self.missSeconds...now).contains(status.modifiedSeconds)
    }

    private func location(of image: ImageID) -> String { "\(path)/\(image.hex)\(Self.ending)" }

    private func missLocation(of image: ImageID, url: String) -> String {
        "\(path)/\(image.hex)-\(cacheName(of: url))\(Self.missEnding)"
    }

    private static let ending = ".debuginfo"
    private static let missEnding = ".miss"
}

import CallStacks
import Foundation
import Glibc
public import SymbolStores

/// A folder of what debuginfod servers sent, and of what they said they do not have.
///
/// Files appear by being renamed, whole and checked, and never change. Many processes share it.
public struct DebuginfodFolder: Sendable {
    /// How much is kept, in bytes. Beyond it the files that were not used for longest go.
    public static let bytesLimit: Int64 = 4 << 30
    /// How long a server is not asked again for what it did not have.
    static let missSeconds: Int64 = 600

    let path: String
    private let now: @Sendable () -> Int64

    /// - Parameter now: The seconds since 1970.
    init(path: String, now: @escaping @Sendable () -> Int64) {
        self.path = path
        self.now = now
    }

    /// The folder beside the indexes.
    public init(beside indexes: IndexFolder) {
        self.init(path: indexes.path + "/debuginfod") { Int64(Date().timeIntervalSince1970) }
    }

    /// The file of an image, if it is here. Counts as a use of it.
    func file(of image: ImageID) -> String? {
        let file = location(of: image)
        return unsafe utimensat(AT_FDCWD, file, nil, 0) == 0 ? file : nil
    }

    /// A name for a file that is still to come.
    func draft(of image: ImageID) throws -> String {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return "\(location(of: image)).\(UInt64.random(in: 0 ... .max)).draft"
    }

    /// Makes a draft the file of an image.
    func keep(_ draft: String, of image: ImageID) -> String? {
        let file = location(of: image)
        guard unsafe rename(draft, file) == 0 else { return nil }
        // The new one is the last that goes, even if it is larger than the limit itself.
        removeLeastRecentlyUsed(in: path, ending: Self.ending, keeping: Self.bytesLimit)
        return file
    }

    func noteMiss(of image: ImageID, at url: String) {
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        removeOldMisses()
        try? replaceFile(at: missLocation(of: image, url), with: [])
    }

    private func removeOldMisses() {
        let names = (try? folderEntries(of: path)) ?? []
        for name in names where name.hasSuffix(Self.missEnding) {
            let file = "\(path)/\(name)"
            if !isRecent(file) { try? FileManager.default.removeItem(atPath: file) }
        }
    }

    /// Whether a server has just said that it has nothing of an image.
    func isMissed(_ image: ImageID, at url: String) -> Bool {
        isRecent(missLocation(of: image, url))
    }

    private func isRecent(_ miss: String) -> Bool {
        guard let status = try? FileStatus(of: miss) else { return false }
        let now = self.now()
        return (now - Self.missSeconds...now).contains(status.modifiedSeconds)
    }

    private func location(of image: ImageID) -> String { "\(path)/\(image.hex)\(Self.ending)" }

    private func missLocation(of image: ImageID, _ url: String) -> String {
        "\(path)/\(image.hex)-\(cacheName(of: url))\(Self.missEnding)"
    }

    private static let ending = ".debuginfo"
    private static let missEnding = ".miss"
}

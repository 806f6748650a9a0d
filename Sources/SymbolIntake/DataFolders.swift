import Foundation
import Glibc
import SymbolStores

/// Where the data folder keeps what of debug files.
public struct DataFolders: Sendable {
    public let path: String

    /// - Parameter path: The data folder; it is made if it is not there.
    public init(path: String) { self.path = path }

    /// Uploads on their way in. Whatever is here when the process starts was never acknowledged.
    public var incoming: String { path + "/incoming" }
    public var blobs: String { path + "/blobs" }
    public var indexes: String { path + "/indexes" }

    /// A path for an upload that is being received. Give it to ``BundleIntake/take(fileAt:named:build:)``,
    /// or remove it.
    public func newIncomingPath() -> String { "\(incoming)/\(randomName())" }

    /// Makes the folders, and removes what an earlier run left half done.
    func prepare() throws(FileFailure) {
        try? FileManager.default.removeItem(atPath: incoming)
        for folder in [incoming, blobs, indexes] { try Self.make(folder) }
    }

    /// A folder for the work on one upload.
    func newIncomingFolder() throws(FileFailure) -> String {
        let folder = newIncomingPath()
        try Self.make(folder)
        return folder
    }

    /// Removes a file or folder; one that is not there is no failure.
    public func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    static func make(_ folder: String) throws(FileFailure) {
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch {
            let system = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
            throw FileFailure(folder, Int32(clamping: system?.code ?? Int(EIO)))
        }
    }

    private func randomName() -> String {
        String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
    }
}

import Foundation

/// A file system of a few megabytes.
final class SmallDisk: Sendable {
    let folder: DataFolder

    /// Returns `nil` if the disk cannot be mounted, which requires privileges.
    init?(megabytes: Int) throws {
        folder = try DataFolder()
        let size = "size=\(megabytes)m"
        guard Self.run("mount", "-t", "tmpfs", "-o", size, "tmpfs", folder.path) else { return nil }
    }

    deinit { _ = Self.run("umount", folder.path) }

    /// Fills the disk like another program, except for some bytes.
    func fill(leaving bytes: Int = 0) throws {
        let path = "\(folder.path)/ballast"
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        defer { try? file.close() }
        let chunk = Data(count: 1 << 12)
        var isFull = false
        while !isFull { do { try file.write(contentsOf: chunk) } catch { isFull = true } }
        let size = try file.offset()
        try file.truncate(atOffset: size - min(size, UInt64(bytes)))
    }

    func release() throws { try FileManager.default.removeItem(atPath: "\(folder.path)/ballast") }

    private static func run(_ arguments: String...) -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }
}

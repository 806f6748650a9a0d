import Foundation
import Synchronization

/// A file of lines that stays consistent if the process is killed at any moment: a line counts once
/// it is on disk, and a truncated line is removed when the file is opened again.
///
/// One process writes to it at a time.
final class JSONLinesFile: Sendable {
    private struct Open {
        var handle: FileHandle
        /// The end of the last complete line.
        var end: UInt64
        /// Whether the file was renamed, and its folder is not on disk since.
        var isRenamed = false
    }

    private let path: String
    private let rotation: FileRotation?
    private let open: Mutex<Open>

    init(path: String, rotation: FileRotation?) throws {
        self.path = path
        self.rotation = rotation
        open = Mutex(try Self.open(path))
    }

    /// Appends a line, which includes its line feed, and returns when it is on disk.
    func append(_ line: [UInt8]) throws {
        try open.withLock { open in
            if Self.isReplaced(open.handle, at: path) {
                let old = open.handle
                open = try Self.open(path)
                do { try old.close() } catch {}
            }
            if let rotation, open.end >= rotation.bytesLimit {
                open = try rotated(open, keeping: rotation.keptFileCount)
            }
            if open.isRenamed {
                try Self.synchronizeFolder(of: path)
                open.isRenamed = false
            }
            try Self.seekToEnd(&open)
            do {
                try open.handle.write(contentsOf: line)
                try open.handle.synchronize()
                open.end += UInt64(line.count)
            } catch {
                // If the disk is full, the start of the line may have been written.
                do { try open.handle.truncate(atOffset: open.end) } catch {}
                throw error
            }
        }
    }

    /// Whether another program renamed or removed the open file, as rotation does. Lines that are
    /// written to it would disappear with it.
    private static func isReplaced(_ handle: FileHandle, at path: String) -> Bool {
        var held = stat()
        var named = stat()
        guard unsafe fstat(handle.fileDescriptor, &held) == 0 else { return false }
        guard unsafe stat(path, &named) == 0 else { return errno == ENOENT }
        return named.st_ino != held.st_ino || named.st_dev != held.st_dev
    }

    /// Seeks to the end of the last complete line.
    ///
    /// Another program may have truncated the file (as rotation by copying does), and a truncated
    /// line may remain because it could not be removed earlier.
    private static func seekToEnd(_ open: inout Open) throws {
        let size = try open.handle.seekToEnd()
        if size > open.end { try open.handle.truncate(atOffset: open.end) }
        open.end = min(open.end, size)
        try open.handle.seek(toOffset: open.end)
    }

    private static func open(_ path: String) throws -> Open {
        let isNew = !FileManager.default.fileExists(atPath: path)
        if isNew {
            // Diagnostics are private.
            _ = FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try handle.seekToEnd()
        let end = try endOfLastLine(handle, size: size)
        if end < size {
            try handle.truncate(atOffset: end)
            try handle.synchronize()
        }
        if isNew { try synchronizeFolder(of: path) }
        return Open(handle: handle, end: end)
    }

    /// Reads backwards in steps, so that the memory needed does not depend on the length of the
    /// line.
    private static func endOfLastLine(_ handle: FileHandle, size: UInt64) throws -> UInt64 {
        let step: UInt64 = 1 << 16
        var end = size
        while end > 0 {
            let start = end > step ? end - step : 0
            try handle.seek(toOffset: start)
            let bytes = try handle.read(upToCount: Int(end - start)) ?? Data()
            if let last = bytes.lastIndex(of: UInt8(ascii: "\n")) {
                return start + UInt64(last - bytes.startIndex) + 1
            }
            end = start
        }
        return 0
    }

    /// Renames the file to `PATH.1`, `PATH.1` to `PATH.2` and so on, and opens a new one. The
    /// oldest file is replaced.
    private func rotated(_ full: Open, keeping count: Int) throws -> Open {
        // Created first, so that nothing is renamed if that fails: each further attempt would
        // remove another file.
        let newPath = path + ".new"
        var empty = try Self.open(newPath)
        if FileManager.default.fileExists(atPath: path) { try renameFiles(keeping: count) }
        try FileManager.default.moveItem(atPath: newPath, toPath: path)
        empty.isRenamed = true
        do { try full.handle.close() } catch {}
        return empty
    }

    private func renameFiles(keeping count: Int) throws {
        for number in stride(from: count, to: 0, by: -1) {
            let older = number == 1 ? path : "\(path).\(number - 1)"
            guard FileManager.default.fileExists(atPath: older) else { continue }
            let target = "\(path).\(number)"
            if FileManager.default.fileExists(atPath: target) {
                try FileManager.default.removeItem(atPath: target)
            }
            try FileManager.default.moveItem(atPath: older, toPath: target)
        }
    }

    /// A new file survives a power failure only if its folder is on disk too.
    private static func synchronizeFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let handle = try FileHandle(forReadingFrom: folder)
        try handle.synchronize()
        try handle.close()
    }
}

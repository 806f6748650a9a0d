import Foundation
import Synchronization

/// A file of lines that survives a kill at any moment: a line counts once it is on the disk, and
/// what was cut off is taken away when the file is opened again.
///
/// One process writes to it at a time.
final class JSONLinesFile: Sendable {
    private struct Open {
        var handle: FileHandle
        /// Where the last whole line ends.
        var end: UInt64
    }

    private let path: String
    private let rotation: FileRotation?
    private let open: Mutex<Open>

    init(path: String, rotation: FileRotation?) throws {
        self.path = path
        self.rotation = rotation
        open = Mutex(try Self.open(path))
    }

    /// Appends one line, which brings its own line end, and returns when it is on the disk.
    func append(_ line: [UInt8]) throws {
        try open.withLock { open in
            if let rotation, open.end >= rotation.bytesLimit {
                open = try rotated(open, keeping: rotation.keptFileCount)
            }
            try Self.findEnd(&open)
            do {
                try open.handle.write(contentsOf: line)
                try open.handle.synchronize()
                open.end += UInt64(line.count)
            } catch {
                // A disk that is full keeps the beginning of the line.
                do { try open.handle.truncate(atOffset: open.end) } catch {}
                throw error
            }
        }
    }

    /// Others may have emptied the file meanwhile, as rotation by copying does, and a torn line may
    /// be left because it could not be taken away before.
    private static func findEnd(_ open: inout Open) throws {
        let size = try open.handle.seekToEnd()
        if size > open.end { try open.handle.truncate(atOffset: open.end) }
        open.end = min(open.end, size)
        try open.handle.seek(toOffset: open.end)
    }

    private static func open(_ path: String) throws -> Open {
        let isNew = !FileManager.default.fileExists(atPath: path)
        if isNew {
            // Diagnostics are not for everybody.
            _ = FileManager.default.createFile(
                atPath: path, contents: nil, attributes: [.posixPermissions: 0o600])
        }
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        let size = try handle.seekToEnd()
        let end = try endOfLastLine(handle, size)
        if end < size {
            try handle.truncate(atOffset: end)
            try handle.synchronize()
        }
        if isNew { try synchronizeFolder(of: path) }
        return Open(handle: handle, end: end)
    }

    /// Reads backwards, some at a time, so that a long torn line costs no memory.
    private static func endOfLastLine(_ handle: FileHandle, _ size: UInt64) throws -> UInt64 {
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

    /// Puts the file aside as `PATH.1`, those before it one further, and begins a new one. The
    /// oldest is written over.
    private func rotated(_ full: Open, keeping count: Int) throws -> Open {
        for number in stride(from: count, to: 0, by: -1) {
            let older = number == 1 ? path : "\(path).\(number - 1)"
            guard FileManager.default.fileExists(atPath: older) else { continue }
            let target = "\(path).\(number)"
            if FileManager.default.fileExists(atPath: target) {
                try FileManager.default.removeItem(atPath: target)
            }
            try FileManager.default.moveItem(atPath: older, toPath: target)
        }
        // Only now: if this fails, the full file is still open, and the next line tries again.
        let empty = try Self.open(path)
        do { try full.handle.close() } catch {}
        return empty
    }

    /// A new name lasts only when its folder is on the disk too.
    private static func synchronizeFolder(of path: String) throws {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        let handle = try FileHandle(forReadingFrom: folder)
        try handle.synchronize()
        try handle.close()
    }
}

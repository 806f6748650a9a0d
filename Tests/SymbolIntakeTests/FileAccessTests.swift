import Foundation
import Glibc
import Problems
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Access to the data folder")
struct FileAccessTests {
    @Test(
        "a missing permission is reported with the file and the user", arguments: [EACCES, EPERM])
    func denied(number: Int32) {
        let error = StorageError(path: "/data/blobs/ab", number: number)
        #expect(
            error.description.hasPrefix("/data/blobs/ab: permission denied for user \(geteuid())"))
        #expect(error.problem.suggestion?.hasSuffix("'chown \(geteuid())'") == true)
    }

    @Test("files that may be used are no problem, and missing ones neither")
    func allowed() throws {
        let folder = try TestFolder()
        let file = try folder.write("a", to: "a")
        #expect(FileAccess.problem(among: [folder.path, file, file + "-wal"]) == nil)
    }

    @Test("a folder is created with those above it, and not in place of a file")
    func folders() throws {
        let folder = try TestFolder()
        let path = folder.path("a/b/c")
        try DataFolders.make(path)
        try DataFolders.make(path)
        #expect(FileManager.default.fileExists(atPath: path))
        let file = try folder.write("a", to: "file")
        let error = try #require(throws: StorageError.self) { try DataFolders.make(file) }
        #expect(error.problem.detail == "not a directory")
        #expect(throws: StorageError.self) { try DataFolders.make(file + "/inside") }
    }

    @Test("a folder whose lock file was removed stays locked")
    func removedLockFile() throws {
        let folder = try TestFolder()
        do {
            let lock = try FolderLock(folder: folder.path)
            try FileManager.default.removeItem(atPath: folder.path("symbolist.lock"))
            #expect(throws: StorageError.self) { _ = try FolderLock(folder: folder.path) }
            _ = consume lock
        }
        _ = try FolderLock(folder: folder.path)
    }
}

import Foundation
import Problems
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Blob folder", .ownThreads)
struct BlobFolderTests {
    private static let name = String(repeating: "0a", count: 32)

    @Test("a blob is stored once, found by its name, and copied out")
    func kept() async throws {
        let intake = try Intake()
        let blobs = BlobFolder(path: intake.storage.folders.blobs)
        let draft = intake.folder.appendingPathComponent("draft")
        for text in ["first", "second"] {
            try Data(text.utf8).write(to: draft)
            try await blobs.keep(fileAt: draft.path, as: Self.name)
            #expect(!FileManager.default.fileExists(atPath: draft.path))
        }
        #expect(try await blobs.names() == [Self.name])
        #expect(try await blobs.contains(Self.name))
        #expect(try await blobs.fetch(Self.name, to: draft.path))
        #expect(try String(contentsOf: draft, encoding: .utf8) == "first")
        try await blobs.remove(Self.name)
        try await blobs.remove(Self.name)
        #expect(try await blobs.names() == [])
        #expect(try await !blobs.contains(Self.name))
        #expect(try await !blobs.fetch(Self.name, to: draft.path + "2"))
    }

    @Test("only a SHA-256 becomes a path", arguments: ["", "../../etc/passwd", "0A", "zz"])
    func names(name: String) async throws {
        let blobs = BlobFolder(path: "/nowhere")
        let long = name + String(repeating: "/", count: max(0, 64 - name.count))
        for name in [name, long] {
            await #expect(throws: StorageError.self) { try await blobs.contains(name) }
        }
    }

    @Test("a failed system call is reported")
    func refused() async throws {
        let blobs = BlobFolder(path: "/nowhere")
        let error = await #expect(throws: StorageError.self) { try await blobs.names() }
        #expect(error?.description.contains("no such file or folder") == true)
        #expect(error?.isFull == false)
    }
}

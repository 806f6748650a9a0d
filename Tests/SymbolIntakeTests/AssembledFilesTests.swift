import CallStacks
import TestSupport
import Testing

@testable import SymbolIntake

@Suite("Notes of assembled files", .ownThreads)
struct AssembledFilesTests {
    private static let file = AssembledFile(
        image: ImageID(bytes: [1, 2, 3])!, architecture: "arm64", name: "Shop", kind: "dsym",
        detail: "7 functions", blob: String(repeating: "a", count: 64))

    @Test("a note is found for its owner and checksum, and removed when it is too old")
    func lifetime() throws {
        let folder = try TestFolder()
        let notes = AssembledFiles(folder: folder.path)
        let checksum = try #require(SHA1Checksum(String(repeating: "ab", count: 20)))
        try notes.record(Self.file, as: checksum, of: .app("shop"))
        #expect(notes.file(with: checksum, of: .app("shop")) == Self.file)
        #expect(notes.file(with: checksum, of: .app("other")) == nil)
        #expect(notes.file(with: checksum, of: .everyone) == nil)
        let now = UnixTime.now()
        try notes.removeExpired(at: now)
        #expect(notes.file(with: checksum, of: .app("shop")) != nil)
        try notes.removeExpired(at: now.advanced(seconds: AssembledFiles.lifetimeSeconds + 2))
        #expect(notes.file(with: checksum, of: .app("shop")) == nil)
    }

    @Test("a damaged note is ignored")
    func damaged() throws {
        let folder = try TestFolder()
        let notes = AssembledFiles(folder: folder.path)
        let checksum = try #require(SHA1Checksum(String(repeating: "cd", count: 20)))
        try notes.record(Self.file, as: checksum, of: .everyone)
        try folder.write("{", to: "all/\(checksum.text)")
        #expect(notes.file(with: checksum, of: .everyone) == nil)
    }
}

import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import TestSupport
import Testing

@Suite("Killed while it writes")
struct KillTests {
    /// The folder of the built programs, next to the tests.
    private static let program =
        URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().appendingPathComponent("append-until-killed")

    /// Starts the program, kills it when it has acknowledged `count` entries or more, and returns
    /// all that it acknowledged.
    private func acknowledged(in folder: DataFolder, killAfter count: Int) throws -> [Substring] {
        let process = Process()
        let output = Pipe()
        process.executableURL = Self.program
        process.arguments = [folder.path]
        process.standardOutput = output
        try process.run()
        var text = Data()
        while text.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = output.fileHandleForReading.availableData
            try #require(!more.isEmpty, "the program ended by itself")
            text += more
        }
        kill(process.processIdentifier, SIGKILL)
        text += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: text, as: UTF8.self).split(separator: "\n")
    }

    private func expectAll(_ lines: [Substring], in folder: DataFolder) async throws {
        let database = try folder.open()
        for line in lines {
            let number = try #require(line.split(separator: " ").first.flatMap { Int64($0) })
            let draft = try await database.entry(number)?.draft
            #expect(draft.map { "\(number) \($0.key.bytes)" } == String(line))
            #expect(draft?.body.starts(with: draft?.key.bytes ?? []) == true)
        }
        let cursor = try await database.cursor(of: JournalReaders.worker)
        let waiting = try await database.entries(after: cursor, count: 100_000, bytes: .max)
        #expect(try await database.backlog().count == waiting.count)
        try await database.close()
    }

    @Test("acknowledged entries survive a kill at any moment")
    func losesNothing() async throws {
        let folder = try DataFolder()
        var numbers = SplitMix64(seed: 4)
        var lines: [Substring] = []
        for _ in 0..<12 {
            lines += try acknowledged(
                in: folder, killAfter: Int.random(in: 1...300, using: &numbers))
            try await expectAll(lines, in: folder)
        }
        #expect(Set(lines.map { $0.prefix { $0 != " " } }).count == lines.count)
    }
}

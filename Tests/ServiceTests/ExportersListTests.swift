import CallStacks
import EmbeddedDatabase
import Foundation
import Ingest
import TestSupport
import Testing

extension ServiceProcessTests {
    @Suite("The list of exporters", .ownThreads)
    struct ExportersListTests {
        private struct List: Decodable, Equatable {
            struct Exporter: Decodable, Equatable {
                var name: String
                var requests: Int
                var bytes: Int
                var oldest: String?
                var dead_letters: Int
            }

            var exporters: [Exporter]
        }

        @Test("exporters list --json has the backlog and the dead letters of every reader")
        func json() async throws {
            let folder = try TestFolder()
            try await Self.fill(folder.url.path)
            let list = try JSONDecoder().decode(
                List.self, from: Self.output(of: ["list", "--json", "--data", folder.url.path]))
            #expect(
                list.exporters == [
                    .init(name: "done", requests: 0, bytes: 0, oldest: nil, dead_letters: 1),
                    .init(
                        name: "slow", requests: 2, bytes: 5, oldest: "2025-10-09T08:53:22Z",
                        dead_letters: 2),
                ])
        }

        /// Three entries: one reader has finished all of them, another one the first.
        private static func fill(_ folder: String) async throws {
            let database = try EmbeddedDatabase(folder: folder)
            for reader in ["done", "slow"] { _ = try await database.cursor(of: reader) }
            var numbers = SystemRandomNumberGenerator()
            for (seconds, body) in zip(Int64(1)..., [[1], [2, 2], [3, 3, 3]] as [[UInt8]]) {
                _ = try await database.append([
                    JournalDraft(
                        key: .random(using: &numbers),
                        arrival: UnixTime(rawValue: 1_760_000_000_000 + seconds * 1_000),
                        kind: .traces, body: body)
                ])
            }
            for (name, number) in [("done", Int64(3)), ("slow", 1), ("slow", 1)] {
                try await database.deadLetter(
                    DeadLetter(
                        exporter: name, signal: .logs, refusal: UnixTime(rawValue: 0),
                        reason: "400", recordCount: 1, body: [1]), advancingTo: number)
            }
            try await database.close()
        }

        private static func output(of arguments: [String]) throws -> Data {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: executable)
            process.arguments = ["exporters"] + arguments
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            try process.run()
            let output = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            return output
        }
    }
}

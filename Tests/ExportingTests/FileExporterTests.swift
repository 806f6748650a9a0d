import Exporting
import Foundation
import Ingest
import OTLP
import TestSupport
import Testing

@Suite("Export to a file", .ownThreads)
struct FileExporterTests {
    private func lines(_ path: String) throws -> [[UInt8]] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.isEmpty || bytes.last == UInt8(ascii: "\n"))
        return bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    }

    private func names(_ path: String) throws -> [[String]] {
        try lines(path).map { try Records.names($0, as: .json) }
    }

    private func send(
        _ batches: [ExportBatch], to path: String, rotation: FileRotation? = nil
    ) async throws {
        try await withExporter(.file) {
            $0.path = path
            $0.rotation = rotation
        } use: { exporter in
            for batch in batches { #expect(await exporter.send(batch) == taken) }
        }
    }

    @Test("each batch is appended as a line of OTLP's JSON")
    func lines() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        try await send([Records.logs(["a", "line\nbreak"]), Records.logs(["b"])], to: path)
        try await send([Records.logs(["c"])], to: path)
        #expect(try names(path) == [["a", "line\nbreak"], ["b"], ["c"]])
    }

    @Test("each signal has its own kind of request")
    func signals() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        try await send([Records.spans(["s"]), Records.metrics(["m"])], to: path)
        let lines = try lines(path)
        try #require(lines.count == 2)
        let spans = try ExportTraceServiceRequest(decoding: lines[0], as: .json)
        let metrics = try ExportMetricsServiceRequest(decoding: lines[1], as: .json)
        #expect(spans.resourceSpans.first?.scopeSpans.first?.spans.map(\.name) == ["s"])
        let scope = metrics.resourceMetrics.first?.scopeMetrics.first
        #expect(scope?.metrics.map(\.name) == ["m"])
    }

    @Test("a file truncated anywhere by a kill keeps its complete lines and gets new ones")
    func tornLine() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        try await send([Records.logs(["a"]), Records.logs(["b"])], to: path)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        let seams = whole.indices.filter { whole[$0] == UInt8(ascii: "\n") }.flatMap {
            [$0, $0 + 1]
        }
        for count in Array(stride(from: 0, to: whole.count, by: 13)) + seams {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            try await send([Records.logs(["c"])], to: path)
            let wholeCount = whole.prefix(count).count { $0 == UInt8(ascii: "\n") }
            #expect(try names(path) == [["a"], ["b"]].prefix(wholeCount) + [["c"]])
        }
    }

    @Test("lines go to a new file after another program renames or removes the old one")
    func renamed() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        try await withExporter(.file) {
            $0.path = path
        } use: { exporter in
            #expect(await exporter.send(Records.logs(["a"])) == taken)
            try FileManager.default.moveItem(atPath: path, toPath: path + ".old")
            #expect(await exporter.send(Records.logs(["b"])) == taken)
            #expect(try names(path) == [["b"]])
            try FileManager.default.removeItem(atPath: path)
            #expect(await exporter.send(Records.logs(["c"])) == taken)
        }
        #expect(try names(path + ".old") == [["a"]])
        #expect(try names(path) == [["c"]])
    }

    @Test("a truncated line may be longer than one read")
    func longTornLine() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        try await send([Records.logs(["a"])], to: path)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        bytes.append(Data(repeating: UInt8(ascii: "x"), count: 200_000))
        try bytes.write(to: URL(fileURLWithPath: path))
        try await send([Records.logs(["b"])], to: path)
        #expect(try names(path) == [["a"], ["b"]])
    }

    @Test("a full file is rotated, and a limited number is kept")
    func rotation() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        let batches = (1...6).map { Records.logs(["\($0)"]) }
        let rotation = FileRotation(bytesLimit: 1, keptFileCount: 2)
        try await send(batches, to: path, rotation: rotation)
        #expect(try names(path) == [["6"]])
        #expect(try names(path + ".1") == [["5"]])
        #expect(try names(path + ".2") == [["4"]])
        #expect(!FileManager.default.fileExists(atPath: path + ".3"))
    }

    @Test("a rotation that fails removes no file, and is repeated")
    func failingRotation() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        let rotation = FileRotation(bytesLimit: 1, keptFileCount: 2)
        try await withExporter(.file) {
            $0.path = path
            $0.rotation = rotation
        } use: { exporter in
            for name in ["1", "2", "3"] {
                #expect(await exporter.send(Records.logs([name])) == taken)
            }
            let obstacle = path + ".new"
            try FileManager.default.createDirectory(
                atPath: obstacle, withIntermediateDirectories: false)
            for _ in 0..<4 { #expect(await exporter.send(Records.logs(["4"])) != taken) }
            #expect(try names(path) == [["3"]])
            #expect(try names(path + ".2") == [["1"]])
            try FileManager.default.removeItem(atPath: obstacle)
            #expect(await exporter.send(Records.logs(["4"])) == taken)
        }
        #expect(try names(path) == [["4"]])
        #expect(try names(path + ".1") == [["3"]])
        #expect(try names(path + ".2") == [["2"]])
    }

    @Test("a file truncated by another program is written from its start")
    func emptied() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        try await withExporter(.file) {
            $0.path = path
        } use: { exporter in
            #expect(await exporter.send(Records.logs(["a"])) == taken)
            try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 0)
            #expect(await exporter.send(Records.logs(["b"])) == taken)
        }
        #expect(try names(path) == [["b"]])
    }

    @Test("a full disk is retried")
    func fullDisk() async throws {
        let outcome = try await withExporter(.file) {
            $0.path = "/dev/full"
        } use: {
            await $0.send(Records.logs(["a"]))
        }
        guard case .retry = outcome else {
            Issue.record("is not tried again: \(outcome)")
            return
        }
    }

    @Test("only the owner may read a new file")
    func permissions() async throws {
        let folder = try ScratchFolder()
        let path = folder.path + "/out.jsonl"
        try await send([Records.logs(["a"])], to: path)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }
}

import Decompression
import EmbeddedDatabase
import Foundation
import Ingest
import TestSupport
import Testing

@testable import HTTPService

@Suite("Raw MetricKit payloads", .ownThreads)
struct MetricKitTests {
    private func accepted(_ answer: Answer) throws -> [String] {
        #expect(answer.status == 202, "\(answer.text)")
        let object = try answer.object()
        let ids = try #require(object["ids"] as? [String])
        #expect(object["accepted"] as? Int == ids.count)
        return ids
    }

    @Test("a payload is stored unchanged, and once however often it is posted")
    func one() async throws {
        let payload = try fixture("divide-by-zero.crash.json")
        try await RunningService.run { service in
            let first = try accepted(try await service.post("/v1/metrickit", payload))
            #expect(first.count == 1)
            let again = try accepted(
                try await service.post(
                    "/v1/metrickit", CompressedBody(gzipping: payload).bytes,
                    ["content-encoding": "gzip"]))
            #expect(again == first)
            let entries = try await service.entries()
            #expect(entries.map(\.draft.kind) == [.metricKit])
            #expect(
                entries.map { String(decoding: $0.draft.body, as: UTF8.self) }
                    == [
                        String(decoding: payload, as: UTF8.self).trimmingCharacters(
                            in: .whitespacesAndNewlines)
                    ])
            try await service.drain()
            let list = try await service.get("/v1/diagnostics").list("diagnostics")
            #expect(list.map { $0["id"] as? String } == first)
        }
    }

    @Test("a payload in UTF-16 is stored in UTF-8", arguments: [false, true])
    func wideText(isBigEndian: Bool) async throws {
        let payload = try fixture("divide-by-zero.crash.json")
        let units = [0xfeff] + Array(String(decoding: payload, as: UTF8.self).utf16)
        let body = units.flatMap { unit in
            let bytes = [UInt8(truncatingIfNeeded: unit), UInt8(unit >> 8)]
            return isBigEndian ? bytes.reversed() : bytes
        }
        try await RunningService.run { service in
            let wide = try accepted(try await service.post("/v1/metrickit", body))
            #expect(wide == (try accepted(try await service.post("/v1/metrickit", payload))))
            #expect(wide.count == 1)
        }
    }

    @Test("the zone of a request is stored with the dates that name none", arguments: ["+", "%2B"])
    func zone(plus: String) async throws {
        let payload = #"{"timeStampEnd": "2026-11-20 10:00:00", "crashDiagnostics": []}"#
        try await RunningService.run { service in
            let path = "/v1/metrickit?zone=\(plus)0800"
            let first = try accepted(try await service.post(path, Array(payload.utf8)))
            let again = try await service.post("/v1/metrickit", Array(payload.utf8))
            #expect(try accepted(again) == first)
            #expect(
                try await service.entries().map { String(decoding: $0.draft.body, as: UTF8.self) }
                    == [payload.replacingOccurrences(of: "00:00\"", with: "00:00 +0800\"")])
        }
    }

    @Test("a zone that is not an offset is refused, and nothing is stored")
    func badZone() async throws {
        try await RunningService.run { service in
            let answer = try await service.post("/v1/metrickit?zone=CET", Array("{}".utf8))
            try expectError(answer, 400, "bad_zone")
            #expect(answer.text.contains("zone: 'CET' is not an offset from UTC"))
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test("the elements of an array and JSON lines are stored as separate payloads")
    func several() async throws {
        let crash = try fixture("divide-by-zero.crash.json")
        let hang = try fixture("index-rebuild.hang.json")
        let array = Array("[".utf8) + crash + Array(",".utf8) + hang + Array("]".utf8)
        let lines = try [crash, hang].map { payload in
            try JSONSerialization.data(
                withJSONObject: JSONSerialization.jsonObject(with: Data(payload)))
        }
        try await RunningService.run { service in
            #expect(try accepted(try await service.post("/v1/metrickit", array)).count == 2)
            let body = [UInt8](lines[0]) + [0x0a] + [UInt8](lines[1]) + [0x0a]
            #expect(try accepted(try await service.post("/v1/metrickit", body)).count == 2)
            try await service.drain()
            let list = try await service.get("/v1/diagnostics").list("diagnostics")
            #expect(Set(list.compactMap { $0["kind"] as? String }) == ["crash", "hang"])
            #expect(list.count == 4)
        }
    }

    @Test("an invalid element does not affect the others")
    func oneBad() async throws {
        let crash = try fixture("divide-by-zero.crash.json")
        let hang = try fixture("index-rebuild.hang.json")
        let line = try JSONSerialization.data(
            withJSONObject: JSONSerialization.jsonObject(with: Data(crash)))
        let bodies = [
            Array("[".utf8) + crash + Array(#",{"unheard":1},17,"#.utf8) + hang + Array("]".utf8),
            [UInt8](line) + Array("\n{\"cut\": \n".utf8) + [UInt8](line.dropLast())
                + Array(",\"x\":1}\n".utf8),
        ]
        for body in bodies {
            try await RunningService.run { service in
                let ids = try accepted(try await service.post("/v1/metrickit", body))
                #expect(ids.count >= 2)
                try await service.drain()
                #expect(try await service.get("/v1/diagnostics").list("diagnostics").count == 2)
            }
        }
    }

    @Test("only an empty body is rejected", arguments: ["", " \n"])
    func empty(body: String) async throws {
        try await RunningService.run { service in
            try expectError(
                try await service.post("/v1/metrickit", Array(body.utf8)), 400, "malformed")
            #expect(try await service.entries().isEmpty)
        }
    }

    @Test(
        "text of an unknown shape is stored, and an array may be empty",
        arguments: [
            ("null", 1), ("5", 1), ("\"text\"", 1), ("[1, {}]", 2), ("[]", 0), ("hello", 1),
            ("{", 1), ("[{", 1), ("\u{0}", 1),
        ])
    func unknownShape(body: String, count: Int) async throws {
        try await RunningService.run { service in
            let answer = try await service.post("/v1/metrickit", Array(body.utf8))
            #expect(try accepted(answer).count == count)
            #expect(try await service.entries().count == count)
            try await service.drain()
            #expect(try await service.get("/v1/diagnostics").list("diagnostics").isEmpty)
        }
    }

    @Test("an exception text is stored as a diagnostic")
    func exceptionText() async throws {
        let text = """
            0   CoreFoundation   0x00000001835df228 7821F73C-378B-3A10-BE90-EF526B7DBA93 + 1155624
            1   libobjc.A.dylib  0x0000000180a79abc objc_exception_throw + 88
            """
        try await RunningService.run { service in
            let ids = try accepted(try await service.post("/v1/metrickit", Array(text.utf8)))
            try await service.drain()
            let list = try await service.get("/v1/diagnostics").list("diagnostics")
            #expect(list.map { $0["id"] as? String } == ids)
        }
    }

    @Test("payloads beyond the limit are stored together, and a too large body is rejected")
    func tooMuch() async throws {
        try await RunningService.run {
            $0.bodyLimit = 1 << 16
        } use: { service in
            let many = (0..<1_002).map { "{\"a\":\($0)}" }.joined(separator: "\n")
            let answer = try await service.post("/v1/metrickit", Array(many.utf8))
            #expect(try accepted(answer).count == 1_001)
            #expect(try answer.object()["remarks"] as? [String] == ["size_limit"])
            let entries = try await service.database.entries(after: 1_000, count: 10, bytes: .max)
            #expect(
                entries.map { String(decoding: $0.draft.body, as: UTF8.self) }
                    == ["{\"a\":1000}\n{\"a\":1001}"])
            let large = Array("{\"a\":\"\(String(repeating: "x", count: 1 << 16))\"}".utf8)
            try expectError(
                try await service.post("/v1/metrickit", large), 413, "body_too_large")
            #expect(
                try await service.database.entries(after: 1_001, count: 10, bytes: .max).isEmpty)
        }
    }
}

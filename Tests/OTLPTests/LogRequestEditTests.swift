import SwiftProtobuf
import TestSupport
import Testing

@testable import OTLP

@Suite("Changes to encoded requests")
struct LogRequestEditTests {
    private static func protobuf(seed: UInt64) -> [UInt8]? {
        var random = RandomRequest(seed: seed)
        let json = random.message("ExportLogsServiceRequest")
        return try? ExportLogsServiceRequest.self.reencoded(
            Array(json.utf8), from: .json, to: .protobuf)
    }

    private static func record(_ name: String) -> LogRecord {
        LogRecord.with {
            $0.eventName = name
            $0.attributes["long"] = .stringValue(String(repeating: "x", count: 300))
        }
    }

    /// What the changes mean, made on the message.
    ///
    /// - Parameter isShorter: Whether scopes and resources without records are left out anyway.
    private func changed(
        _ request: ExportLogsServiceRequest, isShorter: Bool = false,
        _ change: (Int) -> LogRecord??
    ) -> ExportLogsServiceRequest {
        var request = request
        var position = 0
        var isShorter = isShorter
        for resource in request.resourceLogs.indices {
            for scope in request.resourceLogs[resource].scopeLogs.indices {
                let records = request.resourceLogs[resource].scopeLogs[scope].logRecords
                request.resourceLogs[resource].scopeLogs[scope].logRecords = records.compactMap {
                    defer { position += 1 }
                    guard let change = change(position) else { return $0 }
                    if change == nil { isShorter = true }
                    return change
                }
            }
        }
        guard isShorter else { return request }
        for resource in request.resourceLogs.indices {
            request.resourceLogs[resource].scopeLogs.removeAll { $0.logRecords.isEmpty }
        }
        request.resourceLogs.removeAll { $0.scopeLogs.isEmpty }
        return request
    }

    @Test("records of random requests are replaced and removed", arguments: UInt64(0)..<300)
    func random(seed: UInt64) throws {
        guard let bytes = Self.protobuf(seed: seed) else { return }
        var numbers = SplitMix64(seed: seed)
        let layout = try #require(LogRequestLayout(bytes))
        let request = try ExportLogsServiceRequest(serializedBytes: bytes)
        var edit = LogRequestEdit(of: layout)
        #expect(edit.encoded == bytes)
        var changes: [Int: LogRecord?] = [:]
        for position in 0..<layout.recordCount {
            switch Int.random(in: 0..<4, using: &numbers) {
            case 0:
                let record = Self.record("\(position)")
                changes[position] = .some(record)
                edit.replace(at: position, with: [try #require(record.encoded())[...]])
            case 1:
                changes[position] = .some(nil)
                edit.remove(at: position)
            default: break
            }
        }
        // The fields of these requests are in the library's order, so the bytes are the same.
        #expect(try edit.encoded == changed(request) { changes[$0] }.serializedBytes())
    }

    @Test("one record is kept, with its resource and scope", arguments: UInt64(0)..<60)
    func single(seed: UInt64) throws {
        guard let bytes = Self.protobuf(seed: seed) else { return }
        let layout = try #require(LogRequestLayout(bytes))
        let request = try ExportLogsServiceRequest(serializedBytes: bytes)
        for position in 0..<layout.recordCount {
            var edit = LogRequestEdit(of: layout)
            edit.keepOnly(position)
            let expected = changed(request, isShorter: true) {
                $0 == position ? nil : .some(nil)
            }
            #expect(try edit.encoded == expected.serializedBytes())
        }
    }

    @Test("records are read where they are", arguments: UInt64(0)..<60)
    func reading(seed: UInt64) throws {
        guard let bytes = Self.protobuf(seed: seed) else { return }
        let layout = try #require(LogRequestLayout(bytes))
        let request = try ExportLogsServiceRequest(serializedBytes: bytes)
        var position = 0
        var scopes = layout.recordsByScope[...]
        for logs in request.resourceLogs {
            for scopeLogs in logs.scopeLogs {
                let next = scopes.popFirst()
                let scope = try #require(next)
                #expect(
                    try layout.resource(at: scope.resource).serializedBytes() as [UInt8]
                        == logs.resource.serializedBytes())
                #expect(layout.scopeName(at: scope.scope) == scopeLogs.scope.name)
                #expect(
                    try layout.scope(at: scope.scope).serializedBytes() as [UInt8]
                        == scopeLogs.scope.serializedBytes())
                for record in scopeLogs.logRecords {
                    #expect(scope.positions.contains(position))
                    #expect(
                        try layout.record(at: position)?.message.serializedBytes() as [UInt8]?
                            == record.serializedBytes())
                    for key in Set(record.attributes.map(\.key)) {
                        #expect(layout.record(at: position) { $0.isEqual(to: key) })
                    }
                    #expect(!layout.record(at: position) { $0.isEqual(to: "no such key") })
                    position += 1
                }
            }
        }
        #expect(scopes.isEmpty && position == layout.recordCount)
    }

    @Test("unknown fields, groups, odd lengths and parts of messages stay")
    func oddForms() throws {
        // A record whose length takes two bytes, and an unknown group before it.
        let record: [UInt8] = [0x12, 0x83, 0x00, 0x1a, 0x01, 0x61]
        let scope: [UInt8] = [0x0b, 0x08, 0x01, 0x13, 0x14, 0x0c] + record + record + [0x78, 0x05]
        // Both parts of the resource count.
        let first: [UInt8] = [0x0a, 0x02, 0x10, 0x01]
        let second: [UInt8] = [0x0a, 0x07, 0x0a, 0x05, 0x0a, 0x01, 0x6b, 0x12, 0x00]
        let logs = first + [0x12, UInt8(scope.count)] + scope + second
        let bytes: [UInt8] = [0x7a, 0x01, 0x2a, 0x0a, UInt8(logs.count)] + logs
        _ = try ExportLogsServiceRequest(serializedBytes: bytes)
        let layout = try #require(LogRequestLayout(bytes))
        #expect(layout.recordCount == 2)
        #expect(layout.resource(at: 0).droppedAttributesCount == 1)
        #expect(layout.resource(at: 0).attributes.map(\.key) == ["k"])
        var edit = LogRequestEdit(of: layout)
        edit.replace(at: 1, with: [[0x1a], [0x01, 0x62]])
        let shorter = scope.dropLast(record.count + 2) + [0x12, 0x03, 0x1a, 0x01, 0x62, 0x78, 0x05]
        let changed = first + [0x12, UInt8(shorter.count)] + shorter + second
        #expect(edit.encoded == [0x7a, 0x01, 0x2a, 0x0a, UInt8(changed.count)] + changed)
    }

    @Test("what is not protobuf has no layout")
    func malformed() {
        for bytes: [UInt8] in [[0x0a], [0x0a, 0x05, 0], [0x0b], [0x0a, 0x02, 0x12, 0x01], [0x0c]] {
            #expect(LogRequestLayout(bytes) == nil)
        }
    }
}

extension Swift.Span<UInt8> {
    fileprivate func isEqual(to text: String) -> Bool {
        indices.map { self[$0] } == Array(text.utf8)
    }
}

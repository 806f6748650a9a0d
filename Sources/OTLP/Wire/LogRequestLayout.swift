private import SwiftProtobuf

/// The positions of the log records in an encoded request.
///
/// Single records are read and replaced in place; every other byte of the request stays unchanged,
/// even in unknown fields or an unusual order.
package struct LogRequestLayout: Sendable {
    /// The encoded request.
    package let bytes: [UInt8]

    let resources: [ResourceRanges]
    let scopes: [ScopeRanges]
    let records: [MessageRange]

    /// The range of a message and of the field that contains it.
    struct MessageRange {
        /// The field with its tag and length.
        var whole: Range<Int>
        var content: Range<Int>
    }

    struct ResourceRanges {
        var message: MessageRange
        /// The parts of the resource. If a message is split into several parts, it has the fields
        /// of all of them.
        var resource: [Range<Int>] = []
        /// The indices of its scopes.
        var scopes: Range<Int>
    }

    struct ScopeRanges {
        var message: MessageRange
        /// The parts of the instrumentation scope.
        var scope: [Range<Int>] = []
        /// The index of the resource.
        var resource: Int
        /// The positions of its records.
        var records: Range<Int>
    }

    /// - Parameter bytes: An `ExportLogsServiceRequest`.
    /// - Returns: `nil` if it is not protobuf.
    package init?(_ bytes: [UInt8]) {
        var reader = LogRequestReader(bytes)
        guard reader.read() else { return nil }
        self.bytes = bytes
        (resources, scopes, records) = (reader.resources, reader.scopes, reader.records)
    }

    package var recordCount: Int { records.count }

    /// The scopes in order, each with the index of its resource and the positions of its records.
    package var recordsByScope: [(scope: Int, resource: Int, positions: Range<Int>)] {
        scopes.enumerated().map { ($0, $1.resource, $1.records) }
    }
}

extension LogRequestLayout {
    /// Whether a record has an attribute whose name satisfies a condition.
    package func record(at position: Int, hasAttribute isWanted: (String) -> Bool) -> Bool {
        for field in ProtobufFields(bytes, in: records[position].content) where field.number == 6 {
            if let content = field.content, isWanted(key(ofAttribute: content)) { return true }
        }
        return false
    }

    /// Returns the key of an attribute. As everywhere in protobuf, the last of several keys counts,
    /// and a missing key is empty.
    private func key(ofAttribute range: Range<Int>) -> String {
        var key: Range<Int>?
        for field in ProtobufFields(bytes, in: range) where field.number == 1 {
            key = field.content ?? key
        }
        return key.map { String(decoding: bytes[$0], as: UTF8.self) } ?? ""
    }

    /// Reads a record, or returns `nil` if it is not valid.
    package func record(at position: Int) -> LogRecord? {
        try? LogRecord(serializedBytes: Array(bytes[records[position].content]))
    }

    /// Reads a resource, or returns an empty one if it is not valid.
    package func resource(at index: Int) -> Resource {
        (try? Resource(serializedBytes: joined(resources[index].resource))) ?? Resource()
    }

    /// Reads a scope, or returns an empty one if it is not valid.
    package func scope(at index: Int) -> InstrumentationScope {
        (try? InstrumentationScope(serializedBytes: joined(scopes[index].scope)))
            ?? InstrumentationScope()
    }

    private func joined(_ ranges: [Range<Int>]) -> [UInt8] {
        ranges.count == 1 ? Array(bytes[ranges[0]]) : ranges.flatMap { bytes[$0] }
    }
}

extension LogRecord {
    /// Returns the record as protobuf, or `nil` if it is larger than protobuf allows.
    package func encoded() -> [UInt8]? { try? serializedBytes() }
}

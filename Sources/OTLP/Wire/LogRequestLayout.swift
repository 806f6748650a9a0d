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
    ///
    /// - Parameter isWanted: Returns whether a name, in UTF-8, satisfies the condition.
    package func record(at position: Int, hasAttribute isWanted: (Swift.Span<UInt8>) -> Bool)
        -> Bool
    {
        for field in ProtobufFields(bytes, in: records[position].content) where field.number == 6 {
            guard let content = field.content else { continue }
            if isWanted(bytes.span.extracting(key(ofAttribute: content))) { return true }
        }
        return false
    }

    /// Returns the key of an attribute. As everywhere in protobuf, the last one of repeated keys is
    /// used, and a missing key is empty.
    private func key(ofAttribute range: Range<Int>) -> Range<Int> {
        var key = range.lowerBound..<range.lowerBound
        for field in ProtobufFields(bytes, in: range) where field.number == 1 {
            key = field.content ?? key
        }
        return key
    }

    /// Reads a record, or returns `nil` if it is not valid.
    package func record(at position: Int) -> EncodedLogRecord? {
        EncodedLogRecord(bytes, in: records[position].content)
    }

    /// Reads the attributes of a resource; none if they are not valid.
    package func resourceAttributes(at index: Int) -> EncodedAttributes {
        let (attributes, isUsual) = Self.attributes(
            ofResource: resources[index].resource, in: bytes)
        if isUsual { return attributes }
        // The library reads unusual forms, and writes usual ones.
        let rewritten: [UInt8] = (try? resource(at: index).serializedBytes()) ?? []
        return Self.attributes(ofResource: [rewritten.indices], in: rewritten).attributes
    }

    private static func attributes(
        ofResource parts: [Range<Int>], in bytes: [UInt8]
    ) -> (attributes: EncodedAttributes, isUsual: Bool) {
        var attributes = EncodedAttributes(of: bytes, field: 1, end: 0)
        var isUsual = true
        for part in parts {
            var fields = ProtobufFields(bytes, in: part)
            while let field = fields.next() {
                guard field.number == 1, field.content != nil else { continue }
                if !attributes.add(field) { isUsual = false }
            }
            if fields.isMalformed { isUsual = false }
        }
        return (attributes, isUsual)
    }

    /// The name of a scope; empty if it has none.
    package func scopeName(at index: Int) -> String {
        var name = 0..<0
        for part in scopes[index].scope {
            for field in ProtobufFields(bytes, in: part) where field.number == 1 {
                name = field.content ?? name
            }
        }
        return String(decoding: bytes[name], as: UTF8.self)
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

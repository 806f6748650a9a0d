/// Alternative names of attributes, for senders that are configured to use them.
public struct LogRecordAliases: Hashable, Sendable {
    /// The sender's names of attributes of records, by the usual names.
    public var attributes: [String: String] = [:]
    /// The same for attributes of resources.
    public var resource: [String: String] = [:]

    public init() {}

    /// Whether an attribute of this name may contain a stack.
    public func mayContainStack(attribute key: String) -> Bool {
        ReceivedLogRecord.mayContainStack(attribute: key)
            || attributes.contains {
                $0.value == key && ReceivedLogRecord.mayContainStack(attribute: $0.key)
            }
    }

    /// Whether an attribute of this name in UTF-8 may contain a stack. No string is created unless
    /// there are alternative names.
    public func mayContainStack(named key: Span<UInt8>) -> Bool {
        if attributes.isEmpty { return ReceivedLogRecord.mayContainStack(named: key) }
        return mayContainStack(
            attribute: String(decoding: key.indices.map { key[$0] }, as: UTF8.self))
    }

    /// Returns the record with the usual names of attributes. An attribute that already has its
    /// usual name takes precedence.
    public func standardized(_ record: ReceivedLogRecord) -> ReceivedLogRecord {
        var record = record
        Self.rename(&record.attributes, attributes)
        Self.rename(&record.resource, resource)
        return record
    }

    private static func rename(
        _ values: inout [String: ReceivedLogRecord.Value], _ names: [String: String]
    ) {
        for (usual, name) in names where values[usual] == nil { values[usual] = values[name] }
    }
}

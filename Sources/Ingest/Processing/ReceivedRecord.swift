import MetricKitPayloads
import OTLP

/// A log record as `PayloadReader` reads it. OTLP's message has the same name.
typealias ReceivedRecord = MetricKitPayloads.ReceivedLogRecord

extension ReceivedRecord {
    /// Reads the fields of a record that may contain a diagnostic.
    ///
    /// - Parameter resource: The attributes of its resource, converted once for all of its records.
    init(
        _ record: EncodedLogRecord, scopeName: String,
        resource: [String: ReceivedRecord.Value]
    ) {
        let time = record.timeUnixNano > 0 ? record.timeUnixNano : record.observedTimeUnixNano
        self.init(
            eventName: record.eventName.isEmpty ? nil : record.eventName,
            scopeName: scopeName.isEmpty ? nil : scopeName,
            attributes: Self.values(record.attributes), resource: resource,
            unixNanoseconds: time > 0 ? time : nil)
    }

    /// Returns attributes by key. If a key occurs several times, the first one is used, as in
    /// ``EncodedAttributes``, to which the result is written. Lists are skipped, because they never
    /// contain stacks.
    static func values(_ attributes: EncodedAttributes) -> [String: ReceivedRecord.Value] {
        var values: [String: ReceivedRecord.Value] = [:]
        values.reserveCapacity(attributes.count)
        attributes.forEach { key, value in
            if values[key] == nil { values[key] = value.flatMap(Self.value) }
        }
        return values
    }

    private static func value(_ value: AttributeValue) -> ReceivedRecord.Value? {
        switch value {
        case .string(let bytes), .bytes(let bytes): .text(bytes)
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .bool(let isTrue): .bool(isTrue)
        case .other: nil
        }
    }
}

import MetricKitPayloads
import OTLP

/// A log record as `PayloadReader` reads it. OTLP's message has the same name.
typealias ReceivedRecord = MetricKitPayloads.ReceivedLogRecord

extension ReceivedRecord {
    /// Reads the fields of a record that may contain a diagnostic.
    ///
    /// - Parameter resource: The attributes of its resource, converted once for all of its records.
    init(
        _ record: OTLP.LogRecord, scopeName: String,
        resource: [String: ReceivedRecord.Value]
    ) {
        let time = record.timeUnixNano > 0 ? record.timeUnixNano : record.observedTimeUnixNano
        self.init(
            eventName: record.eventName.isEmpty ? nil : record.eventName,
            scopeName: scopeName.isEmpty ? nil : scopeName,
            attributes: Self.values(record.attributes), resource: resource,
            unixNanoseconds: time > 0 ? time : nil)
    }

    /// Returns attributes by key; the last of equal keys counts. Lists are skipped, because they
    /// never contain stacks.
    static func values(
        _ attributes: [KeyValue]
    ) -> [String: ReceivedRecord.Value] {
        var values: [String: ReceivedRecord.Value] = [:]
        values.reserveCapacity(attributes.count)
        for attribute in attributes { values[attribute.key] = value(attribute.value) }
        return values
    }

    private static func value(_ value: AnyValue) -> ReceivedRecord.Value? {
        switch value.value {
        case .stringValue(let text): .text(Array(text.utf8))
        case .bytesValue(let bytes): .text(Array(bytes))
        case .intValue(let number): .integer(number)
        case .doubleValue(let number): .real(number)
        case .boolValue(let isTrue): .bool(isTrue)
        default: nil
        }
    }
}

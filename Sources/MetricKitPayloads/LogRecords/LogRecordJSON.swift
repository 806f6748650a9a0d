import JSONText

/// Finds the log records in OTLP/JSON: a whole export request, a part of one, or a single record.
/// Keys are read in both spellings that the JSON of Protocol Buffers allows.
struct LogRecordJSON {
    let root: JSONValue

    /// Calls `body` with each record and its text, until it returns false.
    func forEachRecord(_ body: (ReceivedLogRecord, JSONValue) -> Bool) {
        for resourceLogs in Self.list(root, "resourceLogs", "resource_logs") ?? [root] {
            let resource = Self.attributes(resourceLogs["resource"])
            for scopeLogs in Self.list(resourceLogs, "scopeLogs", "scope_logs") ?? [resourceLogs] {
                let scope = scopeLogs["scope"]?["name"]?.string
                for value in Self.list(scopeLogs, "logRecords", "log_records") ?? [scopeLogs] {
                    let record = Self.record(value, scope: scope, resource: resource)
                    guard body(record, value) else { return }
                }
            }
        }
    }

    /// Whether a value is one of the containers of records.
    static func containsRecords(_ value: JSONValue) -> Bool {
        ["resourceLogs", "resource_logs", "scopeLogs", "scope_logs", "logRecords", "log_records"]
            .contains { value[$0]?.kind == .array }
    }

    /// Whether a value is a record, by its list of attributes.
    static func isRecord(_ value: JSONValue) -> Bool { value["attributes"]?.kind == .array }

    private static func list(_ value: JSONValue, _ keys: String...) -> [JSONValue]? {
        keys.lazy.compactMap { value[$0] }.first { $0.kind == .array }.map { Array($0.elements) }
    }

    private static func record(
        _ value: JSONValue, scope: String?, resource: [String: ReceivedLogRecord.Value]
    ) -> ReceivedLogRecord {
        let time = [
            "timeUnixNano", "time_unix_nano", "observedTimeUnixNano", "observed_time_unix_nano",
        ]
        return ReceivedLogRecord(
            eventName: (value["eventName"] ?? value["event_name"])?.string, scopeName: scope,
            attributes: attributes(value), resource: resource,
            unixNanoseconds: time.lazy.compactMap { value[$0].flatMap(integer) }.first { $0 > 0 }
                .map { UInt64(bitPattern: $0) })
    }

    private static func attributes(_ owner: JSONValue?) -> [String: ReceivedLogRecord.Value] {
        guard let list = owner?["attributes"] else { return [:] }
        var result: [String: ReceivedLogRecord.Value] = [:]
        for attribute in list.elements {
            guard let key = attribute["key"]?.string, let value = attribute["value"].flatMap(value)
            else { continue }
            result[key] = value
        }
        return result
    }

    /// Returns an `AnyValue`, or `nil` for arrays and lists, which contain no stack.
    private static func value(_ any: JSONValue) -> ReceivedLogRecord.Value? {
        for member in any.members {
            switch member.key {
            case "stringValue", "string_value":
                return member.value.stringBytes.map { .text($0) }
            case "bytesValue", "bytes_value":
                return member.value.stringBytes.flatMap(Base64.init(decoding:)).map {
                    .text($0.bytes[...])
                }
            case "intValue", "int_value": return integer(member.value).map { .integer($0) }
            case "doubleValue", "double_value": return real(member.value).map { .real($0) }
            case "boolValue", "bool_value": return member.value.bool.map { .bool($0) }
            default: continue
            }
        }
        return nil
    }

    /// Returns a 64-bit integer, which the JSON of Protocol Buffers writes as a string.
    private static func integer(_ value: JSONValue) -> Int64? {
        switch value.number {
        case .unsigned(let number): Int64(bitPattern: number)
        case .negative(let number): number
        case .real: nil
        case nil: value.string.flatMap { Int64($0) ?? UInt64($0).map { Int64(bitPattern: $0) } }
        }
    }

    private static func real(_ value: JSONValue) -> Double? {
        switch value.number {
        case .unsigned(let number): Double(number)
        case .negative(let number): Double(number)
        case .real(let number): number
        case nil: value.string.flatMap(Double.init)
        }
    }
}

public import MetricKitPayloads
import OTLP
import StackRendering

/// The attributes of Honeycomb's `dsym_symbolicator`, with its defaults.
public struct HoneycombContract: Hashable, Sendable {
    /// Text stacks, received and sent.
    public var stackTrace = AttributeKeys.stackTrace
    /// MetricKit's JSON, as received.
    public var metricKitStackTrace = "metrickit.diagnostic.crash.exception.stacktrace_json"
    /// MetricKit stacks, as sent.
    public var metricKitOutput = AttributeKeys.stackTrace
    public var exceptionType = AttributeKeys.exceptionType
    public var exceptionMessage = AttributeKeys.exceptionMessage
    public var original = AttributeKeys.original
    public var failed = AttributeKeys.failed
    public var error = AttributeKeys.error
    /// Attributes of resources.
    public var buildUUID = "app.debug.build_uuid"
    public var executable = "app.bundle.executable"
    public var language = "telemetry.sdk.language"
    /// The languages whose records are processed, or empty for all records.
    public var allowedLanguages: [String] = []

    private static let crash = "metrickit.diagnostic.crash"
    private static let unknown = "Unknown Error"
    private static let typeKeys = ["objc.type", "mach_exception.name", "signal.name"]
    private static let messageKeys = [
        "objc.message", "mach_exception.description", "signal.description", "termination_reason",
    ]

    public init() {}

    /// The names by which records are read.
    public var aliases: LogRecordAliases {
        var aliases = LogRecordAliases()
        let standard = Self()
        for key in [\Self.stackTrace, \.metricKitStackTrace, \.failed, \.original]
        where self[keyPath: key] != standard[keyPath: key] {
            aliases.attributes[standard[keyPath: key]] = self[keyPath: key]
        }
        for key in [\Self.buildUUID, \.executable]
        where self[keyPath: key] != standard[keyPath: key] {
            aliases.resource[standard[keyPath: key]] = self[keyPath: key]
        }
        return aliases
    }

    /// Whether the language of a record, or else of its resource, is one of those that are
    /// processed.
    func admits(_ record: ReceivedRecord) -> Bool {
        if allowedLanguages.isEmpty { return true }
        guard case .text(let bytes)? = record.attributes[language] ?? record.resource[language]
        else { return false }
        let name = String(decoding: bytes, as: UTF8.self).lowercased()
        return allowedLanguages.contains { $0.lowercased() == name }
    }

    /// Sets the exception of a MetricKit crash from its attributes, unless the sender set it.
    func nameException(of record: inout EncodedLogRecord) {
        let prefix = Self.crash + "."
        guard
            record.eventName == Self.crash
                || record.attributes.containsKey(withPrefix: prefix)
        else { return }
        let attributes = record.attributes
        func first(_ keys: [String]) -> String {
            keys.lazy.compactMap { attributes.text(of: "\(prefix)exception.\($0)") }.first
                ?? Self.unknown
        }
        let (type, message) = (first(Self.typeKeys), first(Self.messageKeys))
        record.attributes.setIfAbsent(exceptionType, type)
        record.attributes.setIfAbsent(exceptionMessage, message)
    }
}

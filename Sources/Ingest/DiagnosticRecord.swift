import CallStacks
import JSONText
import MetricKitPayloads
import OTLP

/// The log record that OpenTelemetry's instrumentation would have sent for a diagnostic of a MetricKit
/// payload, with its stack as received.
struct DiagnosticRecord {
    private(set) var record = OTLP.LogRecord()

    /// - Parameter bytes: The payload that the diagnostic's range lies in.
    init(_ diagnostic: ReceivedDiagnostic, of entry: JournalEntry, bytes: [UInt8]) {
        let name = Self.prefix + diagnostic.kind.rawValue
        record.eventName = name
        record.observedTimeUnixNano = entry.draft.arrival.nanoseconds
        let end = diagnostic.details.timestamp.flatMap(PayloadDate.init)?.time
        record.timeUnixNano = (end ?? entry.draft.arrival).nanoseconds
        record.attributes.set(AttributeKeys.name, name)
        if diagnostic.kind == .crash { addCrash(diagnostic.details) }
        addMetadata(diagnostic.details)
        if let tree = Self.tree(of: diagnostic, in: bytes) {
            record.attributes.set(AttributeKeys.stackTrace, tree)
        }
    }

    private static let prefix = "metrickit.diagnostic."

    private mutating func addCrash(_ details: DiagnosticDetails) {
        let prefix = Self.prefix + "crash.exception."
        if let code = details.exceptionCode { set(prefix + "code", Int64(bitPattern: code)) }
        if let type = details.exceptionType {
            let exception = MachException(rawValue: type)
            set(prefix + "mach_exception.type", Int64(bitPattern: type))
            set(prefix + "mach_exception.name", exception.name)
            set(prefix + "mach_exception.description", exception.meaning)
        }
        if let number = details.signal {
            let signal = DarwinSignal(rawValue: number)
            set(prefix + "signal", Int64(bitPattern: number))
            set(prefix + "signal.name", signal.name)
            set(prefix + "signal.description", signal.meaning)
        }
        set(prefix + "termination_reason", details.terminationReason)
        set(prefix + "objc.name", details.objectiveCExceptionName)
        set(prefix + "objc.message", details.objectiveCExceptionMessage)
        set(Self.prefix + "crash.virtual_memory_region_info", details.virtualMemoryRegion)
    }

    private mutating func addMetadata(_ details: DiagnosticDetails) {
        let prefix = "metrickit.metadata."
        set(prefix + "app_version", details.appVersion)
        set(prefix + "app_build_version", details.appBuild)
        set(prefix + "bundle_identifier", details.bundleIdentifier)
        set(prefix + "os_version", details.osVersion)
        set(prefix + "device_type", details.deviceType)
        set(prefix + "platform_arch", details.architecture)
    }

    private mutating func set(_ key: String, _ text: String?) {
        if let text { record.attributes.set(key, text) }
    }

    private mutating func set(_ key: String, _ number: Int64) {
        record.attributes.set(key, number)
    }

    /// The tree as it was received, without what stands around it; the whole diagnostic where it has
    /// none of that name.
    private static func tree(of diagnostic: ReceivedDiagnostic, in bytes: [UInt8]) -> String? {
        guard !diagnostic.range.isEmpty, diagnostic.range.upperBound <= bytes.count
        else { return nil }
        let text = Array(bytes[diagnostic.range])
        let tree = JSONDocument(text).root?["callStackTree"]?.rawText
        return String(decoding: tree ?? text[...], as: UTF8.self)
    }
}

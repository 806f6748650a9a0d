import CallStacks
import JSONText
import MetricKitPayloads
import OTLP

/// The log record that OpenTelemetry's instrumentation would have sent for a diagnostic, with the
/// data that it omits, and with the stack as received.
struct DiagnosticLogRecord {
    private(set) var record = OTLP.LogRecord()
    let resource: Resource
    let problems: ConversionProblems

    /// - Parameters:
    ///   - payload: The payload that the diagnostic's range refers to.
    ///   - end: The end of the payload's period.
    init(
        _ diagnostic: ReceivedDiagnostic, of payload: [UInt8], end: UnixTime,
        context: ConversionContext
    ) {
        let fields = JSONDocument(diagnostic.fields).root
        resource = PayloadResource([fields].compactMap { $0 }).resource
        let name = DiagnosticAttributeTable.prefix + diagnostic.kind.rawValue
        var signal = SignalAttributes()
        signal.set("name", name)
        if let fields { Self.addFields(fields, of: diagnostic.kind, context: context, to: &signal) }
        if diagnostic.kind == .crash { Self.addCrash(to: &signal) }
        if context.hasAdditions {
            Self.addProcess(resource, to: &signal)
            signal.set("app.build_id", MainExecutable.id(in: diagnostic)?.description)
        }
        for remark in diagnostic.remarks where Self.isLoss(remark) {
            signal.add(problem: "payload: \(remark.rawValue)")
        }
        if diagnostic.frameCount == 0, Self.lacksTree(diagnostic, in: payload) {
            signal.add(problem: "callStackTree: is missing")
        }
        if context.hasAdditions || Self.kindsWithStacks.contains(diagnostic.kind) {
            signal.set("exception.stacktrace", Self.tree(of: diagnostic, in: payload))
        }
        record.eventName = name
        record.timeUnixNano = end.nanoseconds
        record.observedTimeUnixNano = context.arrival.nanoseconds
        record.attributes = signal.finished
        problems = signal.problems
    }

    /// The kinds whose trees the instrumentation sends.
    private static let kindsWithStacks: Set<DiagnosticKind> = [.crash, .hang]

    private static let leftovers: [DiagnosticKind: UnmappedMembers] = {
        var leftovers: [DiagnosticKind: UnmappedMembers] = [:]
        for kind in DiagnosticKind.allCases {
            let rows = DiagnosticAttributeTable.rows(of: kind) + DiagnosticAttributeTable.metadata
            leftovers[kind] = UnmappedMembers(
                known: rows.map(\.path) + DiagnosticAttributeTable.ignoredPaths,
                objects: DiagnosticAttributeTable.objects)
        }
        return leftovers
    }()

    private static func addFields(
        _ fields: JSONValue, of kind: DiagnosticKind, context: ConversionContext,
        to signal: inout SignalAttributes
    ) {
        for row in DiagnosticAttributeTable.rows(of: kind) + DiagnosticAttributeTable.metadata
        where context.hasAdditions || !row.isAddition {
            guard let json = fields.member(at: row.path.split(separator: ".")) else { continue }
            signal.add(row.attribute, json, at: row.path, as: row.reading)
        }
        if context.hasAdditions { leftovers[kind]?.carry(from: fields, into: &signal) }
    }

    /// Adds the process of the diagnostic under OpenTelemetry's names, because a resource may be
    /// replaced by that of the reporting process on the way to the backend.
    private static func addProcess(_ resource: Resource, to signal: inout SignalAttributes) {
        for attribute in resource.attributes where !attribute.key.hasPrefix("service.") {
            if let value = attribute.value.value { signal.set(attribute.key, value) }
        }
        if let pid = signal.attributes["metrickit.metadata.pid"]?.integer {
            signal.set("process.pid", .intValue(pid))
        }
    }

    /// Adds the names of numbers, and the exception: the Objective-C exception, or else the Mach
    /// exception, or else the signal.
    private static func addCrash(to signal: inout SignalAttributes) {
        var names: [(name: String, message: String?)] = []
        if let name = signal.attributes.text(of: DiagnosticAttributeTable.exceptionName) {
            names.append(
                (name, signal.attributes.text(of: DiagnosticAttributeTable.exceptionMessage)))
        }
        if let number = signal.attributes[DiagnosticAttributeTable.exceptionType]?.integer {
            let exception = MachException(rawValue: UInt64(bitPattern: number))
            let mach = DiagnosticAttributeTable.prefix + "crash.exception.mach_exception"
            signal.set(mach + ".name", exception.name)
            signal.set(mach + ".description", exception.meaning)
            names.append((exception.name, exception.meaning))
        }
        if let number = signal.attributes[DiagnosticAttributeTable.signal]?.integer {
            let darwin = DarwinSignal(rawValue: UInt64(bitPattern: number))
            signal.set(DiagnosticAttributeTable.signal + ".name", darwin.name)
            signal.set(DiagnosticAttributeTable.signal + ".description", darwin.meaning)
            names.append((darwin.name, darwin.meaning))
        }
        signal.set("exception.type", names.first?.name)
        signal.set("exception.message", names.first?.message)
    }

    /// Whether a part of the diagnostic was lost.
    private static func isLoss(_ remark: Remark) -> Bool {
        switch remark {
        case .jsonTruncated, .jsonInvalid, .depthLimit, .frameLimit, .sizeLimit: true
        default: false
        }
    }

    /// Returns the text of the tree as received, or of the whole diagnostic if it has no member
    /// with that name.
    private static func tree(of diagnostic: ReceivedDiagnostic, in bytes: [UInt8]) -> String? {
        guard let text = text(of: diagnostic, in: bytes) else { return nil }
        let tree = JSONDocument(text).root?["callStackTree"]
        return String(
            decoding: tree?.kind == .object ? tree?.rawText ?? [] : text[...], as: UTF8.self)
    }

    /// Whether a diagnostic has no tree, not even an empty one.
    private static func lacksTree(_ diagnostic: ReceivedDiagnostic, in bytes: [UInt8]) -> Bool {
        guard let text = text(of: diagnostic, in: bytes), let root = JSONDocument(text).root
        else { return false }
        return ["callStackTree", "callStacks", "callStackThreads"].allSatisfy { root[$0] == nil }
    }

    private static func text(of diagnostic: ReceivedDiagnostic, in bytes: [UInt8]) -> [UInt8]? {
        guard !diagnostic.range.isEmpty, diagnostic.range.upperBound <= bytes.count
        else { return nil }
        return Array(bytes[diagnostic.range])
    }
}

import CallStacks
import JSONText
import MetricKitPayloads
import OTLP

/// The log record that OpenTelemetry's instrumentation would have sent for a diagnostic, with what it
/// leaves out added, and with the stack as received.
struct DiagnosticRecord {
    private(set) var record = OTLP.LogRecord()
    let resource: Resource
    let problems: ConversionProblems

    /// - Parameters:
    ///   - payload: The payload that the diagnostic's range lies in.
    ///   - end: The end of the payload's period.
    init(
        _ diagnostic: ReceivedDiagnostic, of payload: [UInt8], end: UnixTime,
        context: ConversionContext
    ) {
        let fields = JSONDocument(diagnostic.fields).root
        resource = PayloadResource([fields].compactMap { $0 }).resource
        let name = DiagnosticTable.prefix + diagnostic.kind.rawValue
        var signal = SignalAttributes()
        signal.set("name", name)
        if let fields { Self.addFields(fields, of: diagnostic.kind, context, to: &signal) }
        if diagnostic.kind == .crash { Self.addCrash(to: &signal) }
        if context.hasAdditions { Self.addProcess(resource, to: &signal) }
        for remark in diagnostic.remarks where Self.isLoss(remark) {
            signal.note(problem: "payload: \(remark.rawValue)")
        }
        if diagnostic.frameCount == 0, Self.lacksTree(diagnostic, in: payload) {
            signal.note(problem: "callStackTree: is missing")
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

    /// Those whose trees the instrumentation sends.
    private static let kindsWithStacks: Set<DiagnosticKind> = [.crash, .hang]

    private static let leftovers: [DiagnosticKind: LeftoverMembers] = {
        var leftovers: [DiagnosticKind: LeftoverMembers] = [:]
        for kind in DiagnosticKind.allCases {
            let rows = DiagnosticTable.rows(of: kind) + DiagnosticTable.metadata
            leftovers[kind] = LeftoverMembers(
                known: rows.map(\.path) + DiagnosticTable.passedOver,
                objects: DiagnosticTable.objects)
        }
        return leftovers
    }()

    private static func addFields(
        _ fields: JSONValue, of kind: DiagnosticKind, _ context: ConversionContext,
        to signal: inout SignalAttributes
    ) {
        for row in DiagnosticTable.rows(of: kind) + DiagnosticTable.metadata
        where context.hasAdditions || !row.isAddition {
            guard let json = fields.member(at: row.path.split(separator: ".")) else { continue }
            signal.add(row.attribute, json, at: row.path, as: row.reading)
        }
        if context.hasAdditions { leftovers[kind]?.carry(from: fields, into: &signal) }
    }

    /// The process that it is about, under OpenTelemetry's names: a resource may be changed on the
    /// way to the backend, as if it were that of the process which reports.
    private static func addProcess(_ resource: Resource, to signal: inout SignalAttributes) {
        for attribute in resource.attributes where !attribute.key.hasPrefix("service.") {
            if let value = attribute.value.value { signal.set(attribute.key, value) }
        }
        if let pid = signal.attributes["metrickit.metadata.pid"]?.integer {
            signal.set("process.pid", .intValue(pid))
        }
    }

    /// The names of numbers, and what the exception was: that of Objective-C, else of Mach, else the
    /// signal.
    private static func addCrash(to signal: inout SignalAttributes) {
        var names: [(name: String, message: String?)] = []
        if let name = signal.attributes.text(of: DiagnosticTable.exceptionName) {
            names.append(
                (name, signal.attributes.text(of: DiagnosticTable.exceptionMessage)))
        }
        if let number = signal.attributes[DiagnosticTable.exceptionType]?.integer {
            let exception = MachException(rawValue: UInt64(bitPattern: number))
            let mach = DiagnosticTable.prefix + "crash.exception.mach_exception"
            signal.set(mach + ".name", exception.name)
            signal.set(mach + ".description", exception.meaning)
            names.append((exception.name, exception.meaning))
        }
        if let number = signal.attributes[DiagnosticTable.signal]?.integer {
            let darwin = DarwinSignal(rawValue: UInt64(bitPattern: number))
            signal.set(DiagnosticTable.signal + ".name", darwin.name)
            signal.set(DiagnosticTable.signal + ".description", darwin.meaning)
            names.append((darwin.name, darwin.meaning))
        }
        signal.set("exception.type", names.first?.name)
        signal.set("exception.message", names.first?.message)
    }

    /// Whether something of the diagnostic did not arrive.
    private static func isLoss(_ remark: Remark) -> Bool {
        switch remark {
        case .jsonTruncated, .jsonInvalid, .depthLimit, .frameLimit, .sizeLimit: true
        default: false
        }
    }

    /// The tree as it was received, without what stands around it; the whole diagnostic where it has
    /// none of that name.
    private static func tree(of diagnostic: ReceivedDiagnostic, in bytes: [UInt8]) -> String? {
        guard let text = text(of: diagnostic, in: bytes) else { return nil }
        let tree = JSONDocument(text).root?["callStackTree"]
        return String(
            decoding: tree?.kind == .object ? tree?.rawText ?? [] : text[...], as: UTF8.self)
    }

    /// Whether a diagnostic holds nothing that could be a tree, not even one that is empty.
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

import CallStacks
import JSONText
import Problems

/// Facts from the surroundings of a stack, used if the stack itself lacks them.
struct DiagnosticContext {
    var kind: DiagnosticKind?
    var details = DiagnosticDetails()
    var executable = Executable()
    /// The range of the upload's text from which the stack was decoded, if it was a string there.
    var range: Range<Int>?
    /// Whether the stack is from a log record, which contains no further stacks.
    var isLogRecord = false
    /// Whether frames may have function names.
    var readsNames = false
    /// Whether the stack is from a source of samples only.
    var isOfSampler = false
}

/// Reads the diagnostics of a JSON value of a known shape.
struct DiagnosticReader {
    let limits: PayloadLimits
    let context: DiagnosticContext
    /// The reason why the text is incomplete. A truncated diagnostic gets it as a remark.
    let damage: Remark?
    private(set) var diagnostics: [ReceivedDiagnostic] = []
    private(set) var unread: [UnreadPart] = []

    init(limits: PayloadLimits, context: DiagnosticContext, damage: Remark?) {
        self.limits = limits
        self.context = context
        self.damage = damage
    }

    mutating func read(_ value: JSONValue, as shape: PayloadShape) {
        switch shape {
        case .diagnosticPayload: readPayload(value)
        case .diagnosticReport27: readReport27(value)
        case .diagnostic:
            add(value, kind: nil, sources: [value["diagnosticMetaData"], value], timestamp: nil)
        case .callStackTree: add(value, kind: nil, sources: [], timestamp: nil)
        case .metricPayload, .metricReport27, .logRecords, .logRecord, .exceptionText, .unknown:
            return
        }
    }

    private mutating func readPayload(_ payload: JSONValue) {
        let end = (payload["timeStampEnd"] ?? payload["timeStampBegin"]).flatMap(PayloadTime.init)
        for (key, kind) in DiagnosticKeys.arrays {
            guard let list = payload[key] else { continue }
            if list.kind != .array, list.kind != .null {
                reject(list, problem: Problem(key, detail: "is not a list"))
            }
            for value in list.elements {
                guard value.kind == .object else {
                    reject(
                        value,
                        problem: Problem(
                            key, detail: "has an element that is not a diagnostic"))
                    continue
                }
                add(
                    value, kind: kind, sources: [value["diagnosticMetaData"], value],
                    timestamp: end?.text)
            }
        }
    }

    private mutating func readReport27(_ report: JSONValue) {
        guard let result = DiagnosticResult27(in: report) else {
            reject(report, problem: Problem("report", detail: "has no known result"))
            return
        }
        let period = report["timeRange"]
        let end = (period?["end"] ?? period?["begin"]).flatMap(PayloadTime.init)
        add(
            result.fields, kind: result.kind, sources: [report["environment"], result.fields],
            timestamp: end?.text)
    }

    private mutating func add(
        _ value: JSONValue, kind: DiagnosticKind?, sources: [JSONValue?], timestamp: String?
    ) {
        let sources = sources.compactMap { $0 }
        let fields = DetailsReader(sources: sources)
        var tree = TreeReader.tree(in: value, limits: limits, readsNames: context.readsNames)
        tree.isOfSampler = context.isOfSampler
        let fieldText = FieldsJSON.ofDiagnostic(sources)
        if tree.frames.isEmpty, fieldText.isEmpty, !value.isWhole { return }
        var details = fields.details
        details.timestamp = timestamp
        diagnostics.append(
            ReceivedDiagnostic(
                kind: kind ?? context.kind ?? fields.kind ?? .unknown,
                details: details.completed(from: context.details),
                fields: fieldText,
                remarks: value.isWhole ? [] : [damage].compactMap { $0 },
                range: context.range ?? value.range, stacks: .tree(tree)))
    }

    private mutating func reject(_ value: JSONValue, problem: Problem) {
        unread.append(
            UnreadPart(
                range: context.range ?? value.range, remark: .unknownShape,
                problem: problem))
    }
}

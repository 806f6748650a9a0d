import ArgumentParser
import CallStacks
import JSONText
import MetricKitPayloads
import MetricKitSignals
import OTLP
import Problems
import StackRendering
import SymbolIntake

/// `symbolist convert`: converts MetricKit payloads to OpenTelemetry signals.
struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert MetricKit payloads to OpenTelemetry spans and log records.",
        discussion: """
            Prints one object of OTLP JSON, whose resourceSpans and resourceLogs are those that \
            the MetricKit instrumentation sends from a device. Stacks are not symbolicated: the \
            service does that.

            Values of unknown type are kept as text, named on standard error and counted in its \
            last line.

            Examples:
              symbolist convert payload.json
              symbolist convert - < payload.json | jq .resourceSpans
            """)

    enum Target: String, CaseIterable, ExpressibleByArgument {
        case otlp
    }

    @Argument(
        help: ArgumentHelp(
            "A payload, an array of payloads, or one per line; '-' reads standard input.",
            valueName: "file"), completion: .file())
    var file: String

    @Option(help: "The output format.")
    var to = Target.otlp

    @Flag(
        inversion: .prefixedNo,
        help: "Add metadata and all call-stack trees, which the instrumentation does not send.")
    var additions = true

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The zone of dates that name none: an offset from UTC, such as +0800.",
            valueName: "offset"))
    var zone: String?

    func validate() throws {
        if let zone, PayloadZone(zone) == nil {
            throw ValidationError("'\(zone)' is not an offset from UTC: use one such as +0800")
        }
    }

    func run() async throws {
        let input = InputBytes(file)
        let bytes = try input.read()
        let upload = PayloadBatch(bytes)
        let arrival = UnixTime.now()
        let zone = zone.flatMap(PayloadZone.init)
        let signals = upload.payloads.map { payload in
            PayloadSignals(
                of: zone?.added(toPayloads: payload) ?? payload,
                context: ConversionContext(
                    arrival: arrival, identity: SignalIdentity(of: payload),
                    hasAdditions: additions))
        }
        let conversion = Conversion(signals, isTruncated: upload.isTruncated)
        guard !upload.isDamaged, !conversion.isEmpty else {
            Console.problem(
                "\(input.name): contains no MetricKit payload: "
                    + "use the output of 'jsonRepresentation()'")
            throw Outcome.nothingFound
        }
        Console.result(try conversion.json() + [UInt8(ascii: "\n")])
        for problem in conversion.located(linesOf: upload, in: bytes) {
            Console.problem(problem.inside(input.name))
        }
        Console.problem("\(input.name): \(conversion.summary)")
        if !conversion.problems.isEmpty { throw Outcome.someFailed }
    }
}

/// The signals of all payloads of an input.
private struct Conversion {
    private var traces = ExportTraceServiceRequest()
    private let logs: ExportLogsServiceRequest
    private let spanCount: Int
    private let recordCount: Int
    private(set) var problems = ConversionProblems()
    /// The problems of each payload.
    private let parts: [ConversionProblems]

    private static let truncation =
        "contains more payloads than the limit: the rest was not read"

    init(_ signals: [PayloadSignals], isTruncated: Bool) {
        traces.resourceSpans = signals.flatMap { $0.traces?.resourceSpans ?? [] }
        let records = signals.flatMap(\.records)
        logs = PayloadSignals.logs(of: records.map { ($0.resource, $0.record) })
        recordCount = records.count
        parts = signals.map(\.problems)
        spanCount = signals.reduce(0) { $0 + $1.spanCount }
        for signal in signals { problems.add(signal.problems) }
        if isTruncated { problems.add(Self.truncation) }
    }

    /// Returns the first problems, each with the line of its payload if there are several.
    func located(linesOf upload: PayloadBatch, in bytes: [UInt8]) -> [Problem] {
        guard parts.count > 1 else { return problems.texts.map { Problem(detail: $0) } }
        var lines = LineCount(bytes)
        let located = zip(upload.starts, parts).flatMap { start, part in
            let line = lines.line(at: start).map { "line \($0)" }
            return part.texts.map { Problem(line, detail: $0) }
        }
        let rest = upload.isTruncated ? [Problem(detail: Self.truncation)] : []
        return located.prefix(problems.texts.count - rest.count) + rest
    }

    var isEmpty: Bool { spanCount == 0 && recordCount == 0 }

    /// `1 span, 2 log records; 0 values not understood`
    var summary: String {
        let made = [counted(spanCount, "span"), counted(recordCount, "log record")]
        return made.joined(separator: ", ")
            + "; \(counted(problems.count, "value")) not understood"
    }

    /// Returns one JSON object with both signals. A receiver of one signal ignores the key of the
    /// other.
    func json() throws -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for request in [try traces.encoded(as: .json), try logs.encoded(as: .json)] {
            guard let object = JSONDocument(request).root else { continue }
            for member in object.members {
                writer.key(member.key)
                writer.copy(member.value)
            }
        }
        writer.endObject()
        return writer.bytes
    }
}

import CallStacks
import FlameGraphs
import Hummingbird
import HummingbirdCore
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFormats
import ReportProcessing
import StackRendering

/// The options in the query of `POST /v1/symbolicate`, named like the options of
/// `symbolist symbolicate`.
struct SymbolicateOptions {
    let app: String?
    let processor: ReportProcessor

    init(
        of request: Request, _ context: HTTPRequestContext, limits: PayloadLimits
    ) throws {
        let query = request.queryParameters
        app = try context.caller.app(requested: query.text("app"))
        var reader = CrashFileReader(limits: limits, processes: Self.processes(query))
        reader.identify(by: try Self.identities(query))
        var processor = ReportProcessor(
            reader: reader, format: try OutputFormat(of: request, among: OutputFormat.allCases))
        processor.redaction = try query.choice("redact") ?? .none
        processor.showsInlinedCalls = try !query.flag("no-inline")
        if try query.flag("full-paths") {
            processor.renderer.text.usesFullPaths = true
            processor.writing.insert(.fullPaths)
        }
        if try query.flag("annotate") { processor.writing.insert(.annotations) }
        processor.renderer.text.showsDetails = try query.flag("details")
        processor.renderer.text.grouping = try query.choice("by") ?? .function
        self.processor = processor
    }

    private static func processes(_ query: FlatDictionary<Substring, Substring>) -> ProcessFilter {
        let names = query[values: "process"].map(String.init).filter { !$0.isEmpty }
        if names.isEmpty { return .target }
        return names.contains("all") ? .all : .named(names)
    }

    private static func identities(
        _ query: FlatDictionary<Substring, Substring>
    ) throws(RequestError) -> [SuppliedIdentity] {
        var identities: [SuppliedIdentity] = []
        for text in query[values: "uuid"] {
            guard let identity = SuppliedIdentity(String(text)) else {
                throw RequestError.badRequest(
                    "bad_uuid",
                    Problem(
                        "uuid", detail: "'\(text)' has no identity",
                        suggestion: "use NAME=UUID or NAME=UUID!"))
            }
            identities.append(identity)
        }
        return identities
    }
}

import CallStacks
import FlameGraphs
import HTMLText
import Hummingbird
import HummingbirdCore
import Pages
import ReportProcessing
import StackRendering

extension DiagnosticPage {
    /// Creates the page of a diagnostic with the choices of a request.
    ///
    /// - Parameters:
    ///   - report: The number of the report among several of a drop.
    ///   - isBinary: Whether its file is binary, so that the file cannot be redacted.
    init(
        _ diagnostic: SymbolicatedDiagnostic, _ site: PageSite, _ request: Request,
        segments: [String], report: Int? = nil, isBinary: Bool = false
    ) throws {
        self.init(diagnostic, segments: segments)
        self.report = report
        options = try DiagnosticViewOptions(
            request.queryParameters, remembering: site.viewWords(of: request))
        flame = try FlameViewOptions(request.queryParameters)
        links = site.settings.sourceLinks.flatMap(SourceLinks.init(template:))
        var formats: [(String, OutputFormat)] = [
            ("Text", .text), ("JSON", .json), ("Markdown", .markdown),
        ]
        if AppleCrashText.canExpress(diagnostic) { formats.insert((".crash", .crash), at: 0) }
        if diagnostic.form == .sampled {
            formats += [("Collapsed stacks", .collapsed), ("Speedscope", .speedscope)]
        }
        if !isBinary { formats.append(("Own format", .same)) }
        var forms = formats.map { ($0, DownloadForm.format($1)) }
        if !isBinary { forms.append(("As received", .original)) }
        downloads = forms.map { name, form in
            let query = [("report", report.map { "\($0)" }), ("download", form.rawValue)]
            return (name, LinkTarget(prefix: site.prefix, segments: segments, query: query))
        }
        switch options.form {
        case .text: text = StackText().report(of: diagnostic)
        case .stack, .original: break
        }
    }
}

extension FlameViewOptions {
    /// The maximum length of a search text, in characters.
    private static let searchLimit = 200

    /// Reads the choices of a query.
    init(_ parameters: FlatDictionary<Substring, Substring>) throws {
        self.init()
        if let grouping: FlameGraphBuilder.Grouping = try parameters.choice("by") {
            self.grouping = grouping
        }
        showsSystemFrames = parameters.text("system") != "hidden"
        mergesRecursion = parameters.text("recursion") == "merged"
        thread = try parameters.number("thread")
        readView(parameters)
    }

    /// Reads the options of every flame graph.
    mutating func readView(_ parameters: FlatDictionary<Substring, Substring>) {
        opensChains = parameters.text("chains") == "open"
        zoom = parameters.text("at").flatMap { CellID($0) }
        search = String((parameters.text("q") ?? "").prefix(Self.searchLimit))
    }
}

extension DiagnosticViewOptions {
    /// Reads the choices of a query.
    init(
        _ parameters: FlatDictionary<Substring, Substring>, remembering words: [String]
    ) throws {
        self.init(remembering: words)
        // These parameters concern the stack view, so they select it unless the URL names another
        // view.
        if ["frames", "names", "paths", "thread"].contains(where: { parameters.text($0) != nil }) {
            form = .stack
        }
        if let frames: Frames = try parameters.choice("frames") { self.frames = frames }
        if let names: Names = try parameters.choice("names") { self.names = names }
        if let paths: Paths = try parameters.choice("paths") { self.paths = paths }
        if let form: Form = try parameters.choice("view") { self.form = form }
        thread = try parameters.number("thread")
        firstRow = max(try parameters.number("from") ?? 0, 0)
    }
}

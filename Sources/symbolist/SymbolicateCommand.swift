import ArgumentParser
import CallStacks
import MetricKitPayloads
import StackRendering
import SymbolStores
import Symbolication

/// `symbolist symbolicate`: any diagnostic in, symbolicated out.
struct SymbolicateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "symbolicate",
        abstract: "Symbolicate crash and hang diagnostics.",
        discussion: """
            Takes MetricKit payloads, diagnostics and call-stack trees in every form, and OTLP log \
            records that carry them. What a file is, is told by its content.

            JSON is one object for one diagnostic, and an array for several. Images of the app \
            that want symbols are named on standard error.

            Examples:
              symbolist symbolicate crash.json --symbols dSYMs
              symbolist symbolicate - --format json < crash.json > answer.json
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json
    }

    @Argument(
        help: ArgumentHelp("Diagnostics; '-' or nothing reads standard input.", valueName: "file"))
    var files: [String] = []

    @OptionGroup var symbols: SymbolOptions

    @OptionGroup var servers: DebuginfodOptions

    @OptionGroup var remote: RemoteOptions

    @Option(help: "For people or for programs.")
    var format = Format.text

    @Option(help: "When text is styled; auto is on a terminal without NO_COLOR.")
    var color = ColorChoice.auto

    @Flag(help: "Show whole source paths instead of file names.")
    var fullPaths = false

    func validate() throws {
        if remote.server != nil, !symbols.paths.isEmpty || servers.debuginfod || fullPaths {
            throw ValidationError(
                "--server answers by its own symbols: leave out --symbols, --debuginfod and "
                    + "--full-paths")
        }
    }

    func run() async throws {
        if let connection = try remote.connect() {
            try await connection.use {
                try await RemoteRun(connection: $0, format: format.rawValue).run(inputs)
            }
            return
        }
        let access = symbols.open(servers)
        var output = DiagnosticOutput(
            format: format,
            text: StackText(style: color.isOn() ? .terminal : .plain, usesFullPaths: fullPaths))
        var isComplete = access.isComplete
        var emptyFileCount = 0
        for input in inputs {
            do {
                switch try await answer(InputBytes(input), access, &output) {
                case .whole: break
                case .damaged: isComplete = false
                case .empty: emptyFileCount += input == "-" ? 0 : 1
                }
            } catch {
                Console.problem("\(error)")
                isComplete = false
            }
        }
        output.finish()
        if !output.isEmpty { access.reportIfNoneGiven() }
        await access.reportServers()
        // A pipe may carry no report at all; a file that was named should hold one.
        if !isComplete || (emptyFileCount > 0 && !output.isEmpty) { throw Outcome.someFailed }
        if emptyFileCount > 0 { throw Outcome.nothingFound }
    }

    /// What an input turned out to be.
    private enum Reading {
        /// Every diagnostic in it was read.
        case whole
        /// Some of it could not be read.
        case damaged
        /// It holds no diagnostic.
        case empty
    }

    private func answer(
        _ input: InputBytes, _ access: SymbolAccess, _ output: inout DiagnosticOutput
    ) async throws(SymbolStoreError) -> Reading {
        let payload = PayloadReader().read(try input.read())
        let received = payload.diagnostics
        let symbolicator = Symbolicator(provider: access.provider)
        var summary = AnswerSummary()
        for (number, diagnostic) in zip(1..., received) {
            let answer = await symbolicator.symbolicate(
                diagnostic.resolved(architectureOf: access.symbols.architecture(of:)))
            output.add(answer, heading: heading(of: input, number, of: received.count))
            summary.add(answer)
        }
        let problems = InputProblems(payload, noticed: summary.remarks, name: input.name)
        problems.report()
        await reportSymbols(summary, of: input, access)
        return problems.isDamaged ? .damaged : received.isEmpty ? .empty : .whole
    }

    private func heading(of input: InputBytes, _ number: Int, of count: Int) -> String? {
        if count > 1 { return "\(input.name), \(number) of \(count)" }
        return inputs.count > 1 ? input.name : nil
    }

    /// Says which symbols would help, unless the report on the terminal has just said so, and why
    /// damaged ones could not be used.
    private func reportSymbols(
        _ summary: AnswerSummary, of input: InputBytes, _ access: SymbolAccess
    ) async {
        for image in summary.damagedImages {
            if let problem = await access.symbols.problem(of: image) { Console.problem(problem) }
        }
        let isShown = format == .text && Console.showsResults
        if !isShown, !access.isEmpty, let line = summary.missing.line(for: input.name) {
            Console.problem(line)
        }
    }

    private var inputs: [String] { files.isEmpty ? ["-"] : files }
}

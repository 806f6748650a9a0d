import ArgumentParser
import CallStacks
import JSONText
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

            Examples:
              symbolist symbolicate crash.json --symbols Shop.dSYM
              curl -s $URL | symbolist symbolicate - --symbols dSYMs --format json | jq .culprit
            """)

    enum Format: String, CaseIterable, ExpressibleByArgument {
        case text, json
    }

    @Argument(
        help: ArgumentHelp("Diagnostics; '-' or nothing reads standard input.", valueName: "file"))
    var files: [String] = []

    @OptionGroup var symbols: SymbolOptions

    @Option(help: "text for people, json for programs.")
    var format = Format.text

    @Option(help: "When text is styled: always, auto (on a terminal) or never.")
    var color = ColorChoice.auto

    @Flag(help: "Show whole source paths instead of file names.")
    var fullPaths = false

    func run() async throws {
        let access = symbols.open()
        let symbolicator = Symbolicator(provider: access.symbols)
        var output = DiagnosticOutput(format: format, text: text)
        var isComplete = access.isComplete
        for input in inputs {
            do {
                let payload = PayloadReader().read(try InputBytes.read(input))
                isComplete = PayloadProblems(payload, name: input).report() && isComplete
                for received in payload.diagnostics {
                    let diagnostic = received.resolved(
                        architectureOf: access.symbols.architecture(of:))
                    let answer = await symbolicator.symbolicate(diagnostic)
                    await reportCorruptImages(of: answer, access.symbols)
                    output.add(answer)
                }
            } catch {
                Console.problem("\(error)")
                isComplete = false
            }
        }
        Console.result(output.finished())
        try end(output, isComplete: isComplete)
    }

    /// The report says of a frame that its index is corrupt; here it is said why.
    private func reportCorruptImages(
        of answer: SymbolicatedDiagnostic, _ symbols: LocalSymbols
    ) async {
        for image in answer.images where image.status == .corrupt {
            guard let id = image.image, let problem = await symbols.problem(of: id) else {
                continue
            }
            Console.problem(problem)
        }
    }

    private var inputs: [String] { files.isEmpty ? ["-"] : files }

    private var text: StackText {
        StackText(style: color.isOn() ? .terminal : .plain, usesFullPaths: fullPaths)
    }

    /// A pipe may carry no report at all; a file that was named should hold one.
    private func end(_ output: DiagnosticOutput, isComplete: Bool) throws {
        if !isComplete { throw Outcome.someFailed }
        if output.isEmpty, inputs != ["-"] { throw Outcome.nothingFound }
    }
}

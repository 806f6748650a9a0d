import CallStacks
import Foundation
import MetricKitPayloads
import StackRendering
import SymbolStores
import Symbolication

/// Measures the processing of a diagnostic from received bytes to text, with open indexes.
struct DiagnosticRun {
    private let symbols: LocalSymbolProvider
    private let symbolicator: Symbolicator
    private let hangTree: HangTree

    /// The minimum CPU time spent on each step of each diagnostic, in nanoseconds.
    private static let least = 5e6

    /// - Parameter symbols: The folder with the symbols of the fixtures.
    init(symbols folder: String) throws {
        symbols = LocalSymbolProvider(SymbolInventory(paths: [folder]), cachedIn: nil)
        symbolicator = Symbolicator(provider: symbols)
        hangTree = try HangTree(symbols: folder)
    }

    /// Measures every fixture, and the large hang.
    func measure(fixtures folder: String) async throws {
        let paths = FileManager.default.subpaths(atPath: folder) ?? []
        let inputs = paths.filter { $0.hasSuffix(".json") && !$0.hasSuffix(".expected.json") }
        guard !inputs.isEmpty else { throw MeasureError("\(folder): holds no diagnostic") }
        for path in inputs.sorted() {
            let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(path)"))
            try await measure([UInt8](data), name: path)
        }
        try await measure(hangTree.payload, name: Self.hangTreeName)
    }

    private static let hangTreeName = "generated hang tree"

    private func measure(_ bytes: [UInt8], name: String) async throws {
        let received = PayloadReader().read(bytes).diagnostics
        guard !received.isEmpty else { return }
        let resolved = received.map { $0.resolved(architectureOf: symbols.architecture(of:)) }
        let fetched = await symbolicator.symbols(of: received.flatMap(\.imageIDs))
        let answers = resolved.map { symbolicator.symbolicate($0, with: fetched) }
        let text = StackText()
        let json = StackJSON()
        try report(
            Figure(
                diagnostic: name, bytes: bytes.count, diagnostics: received.count,
                frames: received.reduce(0) { $0 + $1.frameCount },
                read: repeated { PayloadReader().read(bytes).diagnostics.count },
                resolve: repeated {
                    received.map {
                        $0.resolved(architectureOf: symbols.architecture(of:)).tree.frames.count
                    }
                },
                symbolicate: repeated {
                    resolved.map { symbolicator.symbolicate($0, with: fetched).frames.count }
                },
                text: repeated { answers.map { text.report(of: $0).utf8.count } },
                json: repeated { answers.map { json.text(of: $0).utf8.count } }))
    }

    /// Returns the CPU time of one of many repetitions, in nanoseconds, after one for warming up.
    private func repeated<Result>(_ work: () -> Result) -> Double {
        _ = work()
        var count = 0
        var total = 0.0
        while total < Self.least {
            total += processorNanoseconds(work).nanoseconds
            count += 1
        }
        return total / Double(count)
    }

    /// The nanoseconds of each step.
    private struct Figure: Encodable {
        let diagnostic: String
        let bytes: Int
        let diagnostics: Int
        let frames: Int
        let read: Double
        let resolve: Double
        let symbolicate: Double
        let text: Double
        let json: Double
    }
}

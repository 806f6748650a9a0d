import Foundation

/// Measures inside one process; `Benchmarks/run` starts it several times and takes medians.
///
/// Each result is a line of JSON on standard output.
@main
enum Measure {
    static let usage = """
        usage: Measure lookup INDEX OFFSETS numbers|texts|paths
               Measure first INDEX OFFSETS
               Measure parts DEBUG-FILE INDEX OFFSETS
               Measure inflate DEBUG-FILE
               Measure diagnostics FIXTURES SYMBOLS
               Measure hang-tree SYMBOLS
        """

    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            FileHandle.standardError.write(Data("Measure: \(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) async throws {
        switch (arguments.first, arguments.count) {
        case ("lookup", 4):
            let run = try LookupRun(index: arguments[1], offsets: arguments[2])
            try report(run.measure(kind: arguments[3]))
        case ("first", 3):
            try report(FirstLookup(index: arguments[1], offsets: arguments[2]).measure())
        case ("parts", 4):
            try DebugFileParts(path: arguments[1]).measure()
            try IndexParts(index: arguments[2], offsets: arguments[3]).measure()
        case ("inflate", 2):
            try DebugFileParts(path: arguments[1]).measureInflating()
        case ("diagnostics", 3):
            try await DiagnosticRun(symbols: arguments[2]).measure(fixtures: arguments[1])
        case ("hang-tree", 2):
            print(try HangTree(symbols: arguments[1]).text)
        default:
            throw MeasureError(usage)
        }
    }
}

import CallStacks
import Foundation
import LogExtraction
import ReportFixtures
import ReportFormats
import SymbolStores
import Symbolication
import TestSupport
import Testing

/// A crash of one of the Swift fixture programs, as printed by the program.
struct SwiftBacktraceFixture: CustomTestStringConvertible, Sendable {
    var build: String
    var scenario: String
    /// The suffix of the file's name.
    var form: String

    static let all = ["linux-swift-debug", "linux-swift-release"].flatMap { build in
        ["engine-index", "engine-unwrap"].flatMap { scenario in
            ["backtrace.txt", "backtrace.json", "backtrace-colors.txt"].map {
                Self(build: build, scenario: scenario, form: $0)
            }
        }
    }

    /// The fixture with the deepest stack, which many tests use.
    static let deep = Self(
        build: "linux-swift-debug", scenario: "engine-index", form: "backtrace.txt")

    static let symbols = LocalSymbolProvider(
        SymbolInventory(
            paths: ["linux-swift-debug", "linux-swift-release"].map {
                projectFolder.appendingPathComponent("Symbols/\($0)").path
            }),
        cachedIn: nil)

    var testDescription: String { "\(build)/\(scenario).\(form)" }

    func bytes(_ form: String? = nil) throws -> [UInt8] {
        let file = projectFolder.appendingPathComponent(
            "Fixtures/Diagnostics/\(build)/\(scenario).\(form ?? self.form)")
        return [UInt8](try Data(contentsOf: file))
    }

    func text(_ form: String? = nil) throws -> String {
        String(decoding: try bytes(form), as: UTF8.self)
    }
}

/// A file with its reports and its rewritten text.
struct RewrittenFile {
    var file: CrashFile
    var results: [SymbolicatedDiagnostic] = []
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(
        _ bytes: [UInt8], limits: CrashFileReader = CrashFileReader(),
        symbols: LocalSymbolProvider = SwiftBacktraceFixture.symbols
    ) async {
        file = limits.read(bytes)
        var edits: [Edit] = []
        for report in file.reports {
            let diagnostic = report.resolved(architectureOf: symbols.architecture(of:))
            let result = await Symbolicator(provider: symbols).symbolicate(diagnostic)
            edits += report.edits(with: result)
            results.append(result)
        }
        self.bytes = edits.applied(to: bytes)
    }

    init(_ text: String) async { await self.init(Array(text.utf8)) }
}

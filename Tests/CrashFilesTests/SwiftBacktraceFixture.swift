import CallStacks
import CrashFiles
import Foundation
import SymbolStores
import Symbolication
import TestSupport
import Testing

/// A crash of one of the Swift programs of the fixtures, as the program itself printed it.
struct SwiftBacktraceFixture: CustomTestStringConvertible, Sendable {
    var build: String
    var scenario: String
    /// The end of the file's name.
    var form: String

    static let all = ["linux-swift-debug", "linux-swift-release"].flatMap { build in
        ["engine-index", "engine-unwrap"].flatMap { scenario in
            ["backtrace.txt", "backtrace.json", "backtrace-colors.txt"].map {
                Self(build: build, scenario: scenario, form: $0)
            }
        }
    }

    /// One that many tests use: the deepest stack.
    static let deep = Self(
        build: "linux-swift-debug", scenario: "engine-index", form: "backtrace.txt")

    static let symbols = LocalSymbols(
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

/// A file with what was found in it and what became of it.
struct RewrittenFile {
    var file: CrashFile
    var answers: [SymbolicatedDiagnostic] = []
    var bytes: [UInt8]

    var text: String { String(decoding: bytes, as: UTF8.self) }

    init(
        _ bytes: [UInt8], limits: CrashFileReader = CrashFileReader(),
        symbols: LocalSymbols = SwiftBacktraceFixture.symbols
    ) async {
        file = limits.read(bytes)
        var edits: [Edit] = []
        for report in file.reports {
            let diagnostic = report.resolved(architectureOf: symbols.architecture(of:))
            let answer = await Symbolicator(provider: symbols).symbolicate(diagnostic)
            edits += report.edits(with: answer)
            answers.append(answer)
        }
        self.bytes = edits.applied(to: bytes)
    }

    init(_ text: String) async { await self.init(Array(text.utf8)) }
}

import CallStacks
import Foundation
import SymbolStores
import Symbolication
import TestSupport

@testable import CrashFiles

/// The debug files of one build of the sample app, of which crash files are kept.
enum OrchardSymbols {
    private static let symbols = LocalSymbols(
        SymbolInventory(paths: [
            projectFolder.appendingPathComponent("Symbols/orchard-1.4.0-arm64-release-dwarf4").path
        ]), cachedIn: nil)

    /// A file of the build's diagnostics.
    static func fixture(_ name: String) throws -> [UInt8] {
        let folder = projectFolder.appendingPathComponent(
            "Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4")
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// The answers to all reports of a file.
    static func answers(_ file: CrashFile) async -> [SymbolicatedDiagnostic] {
        let symbolicator = Symbolicator(provider: symbols, findsCallStarts: true)
        var answers: [SymbolicatedDiagnostic] = []
        for report in file.reports {
            answers.append(await symbolicator.symbolicate(report.resolved()))
        }
        return answers
    }

    /// A file with the answers in it.
    static func written(
        _ bytes: [UInt8], identities: [String: ImageID] = [:]
    ) async -> [UInt8] {
        let file = CrashFileReader(identities: identities).read(bytes)
        var edits: [Edit] = []
        for (report, answer) in zip(file.reports, await answers(file)) {
            edits += report.edits(with: answer)
        }
        return edits.applied(to: bytes)
    }
}

/// A text as the bytes of a file.
func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension [UInt8] {
    var text: String { String(decoding: self, as: UTF8.self) }
}

extension CrashFile {
    /// The diagnostics of all reports.
    var diagnostics: [Diagnostic] { reports.map { $0.resolved() } }
}

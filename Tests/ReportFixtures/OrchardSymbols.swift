package import CallStacks
import Foundation
import LogExtraction
package import ReportFormats
import SymbolStores
import Symbolication
import TestSupport

/// The debug files of the sample app's build that the crash files are from.
package enum OrchardSymbols {
    private static let symbols = LocalSymbolProvider(
        SymbolInventory(paths: [
            projectFolder.appendingPathComponent("Symbols/orchard-1.4.0-arm64-release-dwarf4").path
        ]), cachedIn: nil)

    /// A file of the build's diagnostics.
    package static func fixture(_ name: String) throws -> [UInt8] {
        let folder = projectFolder.appendingPathComponent(
            "Fixtures/Diagnostics/orchard-1.4.0-arm64-release-dwarf4")
        return [UInt8](try Data(contentsOf: folder.appendingPathComponent(name)))
    }

    /// The symbolicated reports of a file.
    package static func results(_ file: CrashFile) async -> [SymbolicatedDiagnostic] {
        let symbolicator = Symbolicator(provider: symbols, findsCallStarts: true)
        var results: [SymbolicatedDiagnostic] = []
        for report in file.reports {
            results.append(await symbolicator.symbolicate(report.resolved()))
        }
        return results
    }

    /// The file rewritten with its symbolicated reports.
    package static func written(
        _ bytes: [UInt8], identities: [String: ImageID] = [:]
    ) async -> [UInt8] {
        let file = CrashFileReader(identities: identities).read(bytes)
        var edits: [Edit] = []
        for (report, result) in zip(file.reports, await results(file)) {
            edits += report.edits(with: result)
        }
        return edits.applied(to: bytes)
    }
}

/// The bytes of a text.
package func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

extension [UInt8] {
    package var text: String { String(decoding: self, as: UTF8.self) }
}

extension CrashFile {
    /// The diagnostics of all reports.
    package var diagnostics: [Diagnostic] { reports.map { $0.resolved() } }
}

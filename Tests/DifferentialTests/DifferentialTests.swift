import CallStacks
import DebugFiles
import Foundation
import PeerComparison
import SymbolStores
import TestSupport
import Testing

/// Every address of every debug file of the fixtures, against `llvm-symbolizer`.
@Suite("Differences to llvm-symbolizer")
struct DifferentialTests {
    /// A slice of a debug file, by its path and architecture.
    struct Subject: Sendable, CustomTestStringConvertible {
        let path: String
        let architecture: String

        var testDescription: String { "\(path) \(architecture)" }
    }

    /// A stripped ELF file is excluded: the peer reads the debug file next to it.
    static let subjects: [Subject] = {
        let root = projectFolder.appendingPathComponent("Symbols").path
        let slices = DebugFileInspection(paths: [root]).slices
        return slices.filter { $0.file.hasDebugInformation || !$0.file.kind.isELF }.map {
            Subject(path: $0.path, architecture: $0.file.architecture.name)
        }
    }()

    @Test("there are debug files to compare")
    func presence() { #expect(Self.subjects.count >= 20) }

    @Test("functions, files, lines and columns agree", arguments: subjects)
    func agreement(subject: Subject) throws {
        let opened = try OpenedDebugFile(path: subject.path, architecture: subject.architecture)
        let comparison = try PeerComparison(of: opened, sample: .all)
        let counts = comparison.counts
        #expect(comparison.examples[.unexplained, default: []] == [])
        #expect(counts[.unexplained, default: 0] == 0, "\(counts)")
        // The other code in a small or stripped program is stubs and padding.
        #expect(counts[.equal, default: 0] > comparison.total / 5, "\(counts)")
    }
}

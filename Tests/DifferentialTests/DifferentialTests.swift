import CallStacks
import DebugFiles
import Foundation
import SymbolIndexes
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

    /// A stripped ELF file is left out: the peer answers from the debug file beside it.
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
        let index = try SymbolIndex(path: subject.path, architecture: subject.architecture)
        let offsets = Self.offsets(of: opened.file)
        let base = opened.file.layout.base.rawValue
        let peers = try LLVMSymbolizer.frames(
            at: offsets.map { LinkAddress(base &+ $0.rawValue) }, in: opened.path,
            architecture: opened.file.architecture)
        var symbols = SymbolNames(layout: opened.file.layout)
        _ = opened.file.read(into: &symbols)
        var counts: [Agreement: Int] = [:]
        for (offset, peer) in zip(offsets, peers) {
            let ours = try index.frames(at: offset)
            let agreement = Agreement(ours: ours, peers: peer, at: offset, symbols)
            counts[agreement, default: 0] += 1
            if agreement == .unexplained, counts[agreement, default: 0] <= 3 {
                Issue.record(
                    "0x\(String(offset.rawValue, radix: 16)): \(text(ours)) ≠ \(text(peer))")
            }
        }
        #expect(counts[.unexplained, default: 0] == 0, "\(counts)")
        // The rest of a small or stripped program is stubs and padding.
        #expect(counts[.equal, default: 0] > offsets.count / 5, "\(counts)")
    }

    /// Every byte of code, or every instruction where they are aligned.
    private static func offsets(of file: DebugFile) -> [ImageOffset] {
        let step = file.architecture.alignsInstructionsTo4 ? 4 : 1
        return file.layout.code.flatMap { section in
            stride(from: section.lowerBound.rawValue, to: section.upperBound.rawValue, by: step)
                .map { ImageOffset($0) }
        }
    }

    private func text(_ answer: IndexAnswer?) -> String {
        guard let answer else { return "nothing" }
        return answer.frames.map {
            "\($0.function ?? "?") \($0.file?.name ?? "?"):\($0.line):\($0.column)"
        }.joined(separator: " < ")
    }

    private func text(_ frames: [LLVMSymbolizer.Frame]) -> String {
        frames.map { "\($0.function) \($0.fileName):\($0.line):\($0.column)" }
            .joined(separator: " < ")
    }
}

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

    static let subjects: [Subject] = {
        let root = projectFolder.appendingPathComponent("Symbols").path
        return DebugFileInspection(paths: [root]).slices.filter { $0.file.id != nil }.map {
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
        var symbols = SymbolNames()
        _ = opened.file.read(into: &symbols)
        var counts: [Agreement: Int] = [:]
        for (offset, peer) in zip(offsets, peers) {
            let ours = try index.frames(at: offset)
            let aliases = symbols.names(at: ours?.functionStart)
            let agreement = Agreement(ours: ours?.frames, peers: peer, aliases: aliases)
            counts[agreement, default: 0] += 1
            if agreement == .unexplained, counts[agreement, default: 0] <= 3 {
                Issue.record(
                    "0x\(String(offset.rawValue, radix: 16)): \(text(ours)) ≠ \(text(peer))")
            }
        }
        #expect(counts[.unexplained, default: 0] == 0, "\(counts)")
        #expect(counts[.equal, default: 0] > offsets.count / 2, "\(counts)")
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

/// The names that a debug file's symbol table has for each place.
struct SymbolNames: DebugRecordSink {
    private var names: [String] = []
    private var places: [ImageOffset: Set<String>] = [:]

    func names(at place: ImageOffset?) -> Set<String> { place.flatMap { places[$0] } ?? [] }

    mutating func number(ofName utf8: Span<UInt8>) -> NameNumber {
        names.append(
            String(decoding: utf8.indices.map { utf8[$0] }, as: UTF8.self))
        return NameNumber(rawValue: UInt32(names.count - 1))
    }

    mutating func add(_ symbol: SymbolRecord) {
        places[symbol.start, default: []].insert(names[Int(symbol.name.rawValue)])
    }

    func number(ofFile name: Span<UInt8>, folder: Span<UInt8>) -> FileNumber {
        FileNumber(rawValue: 0)
    }

    func add(_ function: FunctionRecord) {}

    func add(rowsWithoutFunction rows: [LineRow]) {}

    func add(functionStart: ImageOffset) {}
}

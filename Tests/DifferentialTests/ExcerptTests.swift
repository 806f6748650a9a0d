import ByteReading
import CallStacks
import DebugFiles
import IndexSupport
import SymbolIndexes
import TestSupport
import Testing

@testable import SymbolStores

/// Every debug file of the fixtures: excerpts for some offsets have the same results as the whole
/// index.
@Suite("Excerpts of debug files")
struct ExcerptTests {
    /// The instructions that have a file.
    private static func offsets(in file: DebugFile, _ index: SymbolIndex) throws -> [ImageOffset] {
        try file.layout.code.flatMap { section in
            try stride(from: section.lowerBound.rawValue, to: section.upperBound.rawValue, by: 4)
                .map { ImageOffset($0) }
                .filter { try index.frames(at: $0)?.frames.first?.file != nil }
        }
    }

    @Test(
        "an excerpt has the same results for its offsets as the whole index",
        arguments: DifferentialTests.subjects)
    func equality(subject: DifferentialTests.Subject) throws {
        let file = try OpenedDebugFile(path: subject.path, architecture: subject.architecture).file
        let whole = try SymbolIndex(
            FileBytes(try SymbolIndex.bytes(of: file, name: subject.path)))
        let offsets = try Self.offsets(in: file, whole)
        var numbers = SplitMix64(seed: UInt64(offsets.count))
        var excerptCount = 0
        for count in [1, 1, 2, 5, 40] where !offsets.isEmpty {
            let asked = (0..<count).compactMap { _ in offsets.randomElement(using: &numbers) }
            guard let excerpt = SymbolIndex(excerptOf: file, at: asked, name: subject.path)
            else { continue }
            excerptCount += 1
            #expect(excerpt.isSymbolTableOnly == whole.isSymbolTableOnly)
            for offset in asked { try expectEqual(excerpt, whole, at: offset) }
        }
        #expect((excerptCount == 5) == (whole.quality == .full && !offsets.isEmpty))
    }

    private func expectEqual(
        _ excerpt: SymbolIndex, _ whole: SymbolIndex, at offset: ImageOffset
    ) throws {
        let answer = try whole.frames(at: offset)
        #expect(try excerpt.frames(at: offset) == answer)
        #expect(try excerpt.callStarts(at: offset) == whole.callStarts(at: offset))
        for depth in 0..<(answer?.frames.count ?? 0) {
            #expect(
                try excerpt.nearestFrame(at: offset, depth: depth)
                    == whole.nearestFrame(at: offset, depth: depth))
        }
    }
}

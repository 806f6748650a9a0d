import CallStacks
import Symbolication
import Synchronization
import Testing

@Suite("Symbols that are elsewhere")
struct AnsweredImageTests {
    /// Answers like an index, and notes what was wanted.
    private final class Elsewhere: SymbolProvider {
        let wanted = Mutex<[[ImageOffset]]>([])
        let status: FrameStatus

        init(status: FrameStatus = .symbolicated) { self.status = status }

        func symbols(for image: ImageID) async -> SymbolSupply { .missing }

        func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
            wanted.withLock { $0.append(offsets) }
            guard image == .shop else { return .missing }
            var symbols = AnsweredImage(
                architecture: .arm64, isSymbolTableOnly: false, names: ["outer", "inner"],
                files: [SourceFile(folder: "/src", name: "File.swift")])
            for offset in offsets where offset.rawValue < 0x300 {
                symbols.answers[offset] = answer(offset)
            }
            return .answered(symbols)
        }

        private func answer(_ offset: ImageOffset) -> ExactAnswer {
            var answer = ExactAnswer(.shop, offset, status)
            guard status.isResolved, offset.rawValue < 0x200 else {
                answer.isOutsideCode = status.isResolved
                answer.status = status.isResolved ? .notFound : status
                return answer
            }
            for (name, line) in [(1, 7), (0, 9)] {
                answer.functions.append(
                    AnsweredFunction(
                        status: .symbolicated, name: name, file: 0, line: UInt32(line), column: 0,
                        isApproximate: false, isInlined: name == 1, isWritten: true))
            }
            answer.functionStart = ImageOffset(0x100)
            return answer
        }
    }

    private func crash(_ frames: CallFrame...) -> Diagnostic {
        Diagnostic(kind: .crash, tree: .thread(frames))
    }

    @Test("each image is asked once, for the distinct offsets of its frames")
    func report() async {
        let provider = Elsewhere()
        let answer = await Symbolicator(provider: provider).symbolicate(
            crash(.at(0x210), .at(0x110), .at(0x110), .at(0x310)))
        #expect(provider.wanted.withLock { $0 } == [[0x110, 0x210, 0x310].map { ImageOffset($0) }])
        #expect(
            answer.frames.map(\.function) == [nil, "inner", "outer", "inner", "outer", nil])
        #expect(answer.frames.map(\.line) == [0, 7, 9, 7, 9, 0])
        #expect(answer.frames[2].functionDistance == 0x10)
        #expect(answer.frames[0].remarks == [.offsetOutsideText])
        #expect(answer.frames[5].status == .notFound)
        #expect(answer.images.map(\.status) == [.found])
        #expect(answer.images.first?.architecture == "arm64")
    }

    @Test("an image that is damaged at one offset is damaged")
    func corrupt() async {
        let provider = Elsewhere(status: .corruptIndex)
        let answer = await Symbolicator(provider: provider).symbolicate(crash(.at(0x110)))
        #expect(answer.images.map(\.status) == [.corrupt])
        var lookup = ExactLookup(provider: provider)
        #expect(await lookup.answer(.shop, at: ImageOffset(0x110)).status == .corruptIndex)
    }

    @Test("offsets that were fetched together are not asked for again")
    func lookups() async {
        let provider = Elsewhere()
        var lookup = ExactLookup(provider: provider)
        let offsets = [0x110, 0x120, 0x210].map { ImageOffset($0) }
        #expect(await lookup.fetch(.shop, at: offsets) == nil)
        var names: [String] = []
        for offset in offsets {
            let answer = await lookup.answer(.shop, at: offset)
            names += lookup.frames(of: answer).compactMap(\.function)
        }
        #expect(names == ["inner", "outer", "inner", "outer"])
        #expect(provider.wanted.withLock { $0.count } == 1)
        #expect(lookup.answerAtOnce(.shop, at: offsets[0]) == nil)
        #expect(await lookup.answer(.shop, at: ImageOffset(0x130)).functions.count == 2)
        #expect(provider.wanted.withLock { $0.count } == 2)
        #expect(await lookup.answer(.pay, at: offsets[0]).status == .missingImage)
    }
}

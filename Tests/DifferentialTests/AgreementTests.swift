import CallStacks
import IndexSupport
import Testing

@testable import PeerComparison
@testable import SymbolIndexes

/// Legitimate differences, and similar ones that are not.
@Suite("Kinds of agreement")
struct AgreementTests {
    private static let place = ImageOffset(0x1010)

    /// `main`, also called `alias`, with a label in it; `other` in a separate section.
    private static let symbols: SymbolNames = {
        let code = [0x1000..<0x1100, 0x2000..<0x2100].map {
            ImageOffset(UInt64($0.lowerBound))..<ImageOffset(UInt64($0.upperBound))
        }
        var symbols = SymbolNames(layout: ImageLayout(base: LinkAddress(0), code: code))
        let all: [(String, UInt64, SymbolRecord.Rank)] = [
            ("main", 0x1000, .global), ("alias", 0x1000, .weak), ("label", 0x1008, .label),
            ("later", 0x1020, .label), ("local", 0x1008, .local), ("other", 0x2000, .global),
        ]
        for (name, start, rank) in all {
            let number = symbols.number(ofName: Array(name.utf8).span)
            symbols.add(
                SymbolRecord(name: number, start: ImageOffset(start), end: nil, rank: rank))
        }
        return symbols
    }()

    /// `nil` for a result without a frame.
    private func agreement(
        _ ours: SourceFrame?, _ peer: LLVMSymbolizer.Frame, functions: Set<String> = []
    ) -> Agreement {
        let answer = ours.map {
            IndexLookupResult(frames: [$0], functionStart: ImageOffset(0x1000))
        }
        let pair = AnswerPair(offset: Self.place, ours: answer, peers: [peer])
        return Agreement(pair, symbols: Self.symbols, functions: functions)
    }

    private func ours(_ name: String?, _ file: String? = "a.c", line: UInt32 = 7) -> SourceFrame {
        SourceFrame(
            function: name, file: file.map { SourceFile(folder: "/src", name: $0) }, line: line,
            column: 3, isInlined: false)
    }

    private func peer(
        _ name: String, _ file: String = "/build/a.c", line: UInt32 = 7, column: UInt32 = 3
    ) -> LLVMSymbolizer.Frame {
        LLVMSymbolizer.Frame(function: name, file: file, line: line, column: column)
    }

    @Test("function, last component of the path, line and column are equal or it is a difference")
    func equality() {
        #expect(agreement(ours("main"), peer("main")) == .equal)
        #expect(agreement(ours("main"), peer("nothing")) == .unexplained)
        #expect(agreement(ours("main"), peer("main", "/src/b.c")) == .unexplained)
        #expect(agreement(ours("main"), peer("main", line: 8)) == .unexplained)
        #expect(agreement(ours("main"), peer("main", column: 4)) == .unexplained)
    }

    @Test("another name is legitimate if both names belong to the location")
    func otherNames() {
        #expect(agreement(ours("main"), peer("alias")) == .otherNameOfSamePlace)
        #expect(agreement(ours("main"), peer("alias", line: 8)) == .unexplained)
        #expect(agreement(ours("main"), peer("other")) == .unexplained)
        #expect(agreement(ours("invented"), peer("alias")) == .unexplained)
        #expect(
            agreement(ours("inDwarf"), peer("alias"), functions: ["inDwarf"])
                == .otherNameOfSamePlace)
    }

    @Test("a label is legitimate inside our function, and only up to the location")
    func labels() {
        #expect(agreement(ours("main"), peer("label")) == .innerLabel)
        #expect(agreement(ours("main"), peer("later")) == .unexplained)
        #expect(agreement(ours("main"), peer("local")) == .unexplained)
    }

    @Test("a file without a line is legitimate where we have neither")
    func fileAlone() {
        let lineless = peer("main", line: 0, column: 3)
        #expect(agreement(ours("main", nil, line: 0), lineless) == .fileOfSymbolTable)
        #expect(agreement(ours("main", nil, line: 0), peer("main")) == .unexplained)
        #expect(agreement(ours("main", "b.c", line: 0), lineless) == .unexplained)
    }

    @Test("if we have no result, a line without a function and a stray symbol are legitimate")
    func nothing() {
        #expect(agreement(nil, peer("", "", line: 0)) == .bothUnknown)
        #expect(agreement(nil, peer("", line: 7)) == .padding)
        #expect(agreement(nil, peer("other", "", line: 0)) == .otherSection)
        #expect(agreement(nil, peer("main", "", line: 0)) == .unexplained)
        #expect(agreement(nil, peer("main", line: 7)) == .unexplained)
    }

    @Test("frames that one side lacks are a difference")
    func depth() {
        let answer = IndexLookupResult(
            frames: [ours("inlined"), ours("main")], functionStart: ImageOffset(0x1000))
        let pair = AnswerPair(offset: Self.place, ours: answer, peers: [peer("main")])
        #expect(Agreement(pair, symbols: Self.symbols, functions: []) == .unexplained)
    }
}

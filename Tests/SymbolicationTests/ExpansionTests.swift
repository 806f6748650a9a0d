import ByteReading
import CallStacks
import Demangling
@testable import Symbolication
import SymbolIndexes
import Testing

@Suite("Inline expansion")
struct ExpansionTests {
    /// `i2` inlined into `i1` inlined into `B`; four plain functions.
    private let symbols = KnownSymbols(functions: [
        .init(range: 0x100..<0x200, frames: [.at("A")]),
        .init(range: 0x200..<0x300, frames: [.at("i2"), .at("i1"), .at("B")]),
        .init(range: 0x300..<0x400, frames: [.at("C")]),
        .init(range: 0x400..<0x500, frames: [.at("D")]),
        .init(range: 0x500..<0x600, frames: [.at("E")]),
    ])

    @Test("in a sampled tree the callees are children of the innermost inlined call")
    func sampled() async throws {
        let tree = CallStackTree.samples([
            .at(0x110, samples: 10), .at(0x210, parent: 0, samples: 7),
            .at(0x310, parent: 1, samples: 4), .at(0x410, parent: 1, samples: 2),
            .at(0x510, parent: 0, samples: 3),
        ])
        let result = try await Symbolicator.symbolicated(
            Diagnostic(kind: .hang, tree: tree), with: [.shop: symbols])
        #expect(result.frames.map(\.function) == ["A", "B", "i1", "i2", "C", "D", "E"])
        #expect(result.frames.map(\.parent) == [nil, 0, 1, 2, 3, 3, 0])
        #expect(result.frames.map(\.samples) == [10, 7, 7, 7, 4, 2, 3])
        #expect(result.frames.map(\.physical) == [0, 1, 1, 1, 2, 3, 4])
        #expect(result.frames.map(\.isInlined) == [false, false, true, true, false, false, false])
        #expect(result.stacks.map(\.frames) == [0..<7])
    }

    @Test("in a linear stack the callers follow the function that owns the code")
    func linear() async throws {
        let tree = CallStackTree.thread([.at(0x310), .at(0x210), .at(0x110)])
        let result = try await Symbolicator.symbolicated(
            Diagnostic(kind: .crash, tree: tree), with: [.shop: symbols])
        #expect(result.frames.map(\.function) == ["C", "i2", "i1", "B", "A"])
        #expect(result.frames.map(\.parent) == [nil, 0, 1, 2, 3])
        #expect(result.frames.map(\.functionDistance) == [0x10, nil, nil, 0x10, 0x10])
        #expect(result.frames.map(\.offset?.rawValue) == [0x310, 0x210, 0x210, 0x210, 0x110])
    }

    @Test("a return address is looked up one byte earlier and displayed unchanged")
    func returnAddress() async throws {
        var caller = CallFrame.at(0x300)
        caller.site = .returnAddress(ImageOffset(0x300))
        let result = try await Symbolicator.symbolicated(
            Diagnostic(kind: .crash, tree: .thread([caller])), with: [.shop: symbols])
        #expect(result.frames.last?.function == "B")
        #expect(result.frames.last?.offset == ImageOffset(0x300))
        #expect(result.frames.last?.functionDistance == 0x100)
    }

    @Test("each stack keeps its own frames")
    func stacks() async throws {
        var tree = CallStackTree.thread([.at(0x210), .at(0x110), .at(0x210)])
        tree.frames[2].parent = nil
        tree.stacks = [
            CallStack(index: 0, isAttributed: false, frames: 0..<2),
            CallStack(index: 1, isAttributed: false, frames: 2..<2),
            CallStack(index: 2, name: "io", isAttributed: true, frames: 2..<3),
        ]
        let result = try await Symbolicator.symbolicated(
            Diagnostic(kind: .crash, tree: tree), with: [.shop: symbols])
        #expect(result.stacks.map(\.frames) == [0..<4, 4..<4, 4..<7])
        #expect(result.stacks.map(\.name) == [nil, nil, "io"])
        #expect(result.representativeFrames == [4, 5, 6])
    }

    @Test("lookups of inlined calls and of nearest lines have a limit")
    func lookupLimit() throws {
        let symbols = KnownSymbols(functions: [
            .init(
                range: 0..<16, frames: [.at("i", line: 0), .at("f", line: 0)],
                lastLine: .at(nil, line: 9))
        ])
        let index = try SymbolIndex(FileBytes(try symbols.bytes()))
        var lookup = IndexLookup(in: index)
        var texts = LookupTables()
        var budget = LookupBudget(inlinedCalls: 2, nearestLines: 5)
        var lines: [[UInt32]] = []
        for _ in 0..<4 {
            let result = try lookup.result(at: ImageOffset(1), texts: &texts, budget: &budget)
            guard case .functions(let functions, _) = result else { continue }
            lines.append(functions.map(\.line))
            #expect(functions.last?.name == texts.names.number(of: "f"))
        }
        #expect(lines == [[0, 9], [0, 9], [9], [0]])
        #expect(budget.isSpent)
    }

    @Test("frames of inlined calls have a limit, and the function that owns the code is kept")
    func limit() {
        var texts = LookupTables()
        let inlined = ResolvedFunction.named(texts.names.number(of: "i"), isInlined: true)
        let owner = ResolvedFunction.named(texts.names.number(of: "f"), isInlined: false)
        var demangling = DemanglingBudget()
        texts.names.demangle(by: Demangler(), budget: &demangling)
        var rows = ExpandedFrames(
            of: CallStackTree(form: .threads), texts: texts,
            budget: LookupBudget(inlinedCalls: 3))
        for _ in 0..<3 {
            rows.append(
                .at(0), named: nil,
                result: .functions([inlined, inlined, owner], start: ImageOffset(0)),
                isInApp: true)
        }
        #expect(rows.frames.map(\.function) == ["i", "i", "f", "f", "f"])
        #expect(rows.isTruncated)
    }
}

extension ResolvedFunction {
    fileprivate static func named(_ name: Int, isInlined: Bool) -> Self {
        ResolvedFunction(
            status: .symbolicated, name: name, file: nil, line: 1, column: 0,
            isApproximate: false, isInlined: isInlined, isInSourceFile: true)
    }
}

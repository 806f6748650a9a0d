import CallStacks
import Symbolication
import Testing

@Suite("Culprit and exception")
struct CulpritTests {
    /// A function at each multiple of 16; names that compilers make are as compilers write them.
    private static let names = [
        "checkout", "total", "Swift runtime failure: Index out of range", "$s4main1fyyFTR",
        "OUTLINED_FUNCTION_3", "_ZN4Cart3addEv", "raise", "$s4Shop4CartV5total3forSiSaySiG_tF",
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Positions in `names`, innermost first; `nil` for a frame that stays raw.
        var functions: [Int?]
        /// How many of the innermost frames are the system's.
        var systemFrames = 0
        var culprit: String?
    }

    @Test(
        "is the innermost function that somebody wrote in the app",
        arguments: [
            Row(testDescription: "plain", functions: [0, 1], culprit: "checkout"),
            Row(
                testDescription: "below the system", functions: [6, 1], systemFrames: 1,
                culprit: "total"),
            Row(testDescription: "below a trap", functions: [2, 1], culprit: "total"),
            Row(testDescription: "below a thunk", functions: [3, 1], culprit: "total"),
            Row(testDescription: "below outlined code", functions: [4, 1], culprit: "total"),
            Row(testDescription: "below a raw frame", functions: [nil, 1], culprit: "total"),
            Row(testDescription: "demangled", functions: [5], culprit: "Cart::add()"),
            Row(testDescription: "of Swift", functions: [7], culprit: "Cart.total(for:)"),
            Row(
                testDescription: "nothing but a thunk", functions: [nil, 4],
                culprit: "OUTLINED_FUNCTION_3"),
            Row(
                testDescription: "nothing of the app", functions: [6, nil], systemFrames: 1,
                culprit: "raise"),
            Row(testDescription: "a trap alone", functions: [2], culprit: nil),
            Row(testDescription: "nothing at all", functions: [nil, nil], culprit: nil),
            Row(testDescription: "no frame", functions: [], culprit: nil),
        ])
    func culprit(row: Row) async throws {
        let frames = row.functions.enumerated().map { position, name in
            let isSystem = position < row.systemFrames
            return CallFrame.at(
                UInt64(name ?? 100) * 16 + UInt64(position), of: isSystem ? .kit : .shop,
                isSystem ? "libsystem_c.dylib" : "Shop")
        }
        let answer = try await answer(frames)
        #expect(answer.culprit == row.culprit)
        #expect(answer.culpritRow.flatMap { answer.frames[$0].function } == row.culprit)
    }

    @Test(
        "is a function of the app's own sources before one of a header that came with the compiler",
        arguments: [
            ("/Applications/Xcode.app/Contents/Developer/usr/include/c++/v1", "checkout"),
            ("/Library/Developer/CommandLineTools/SDKs/MacOSX.sdk/usr/include/c++/v1", "checkout"),
            ("/usr/include/c++/12/bits", "checkout"), ("/rustc/1a2b/library/core/src", "checkout"),
            ("/src/include/c++", "operator<<"),
        ])
    func header(folder: String, culprit: String) async throws {
        var inlined = SourceFrame.at("operator<<")
        inlined.file?.folder = folder
        inlined.isInlined = true
        let symbols = KnownSymbols(functions: [
            .init(range: 0..<16, frames: [inlined, .at("checkout")])
        ])
        let answer = await Symbolicator(
            provider: KnownProvider(supplies: [.shop: try symbols.supply()])
        ).symbolicate(Diagnostic(kind: .crash, tree: .thread([.at(0)])))
        #expect(answer.culprit == culprit)
    }

    @Test("distances count to the address as received, or to what is looked up where reports do so")
    func distances() async throws {
        var tree = CallStackTree.thread([.at(4), .at(24)])
        tree.frames[1].site = .returnAddress(ImageOffset(24))
        for (countsToLookup, last) in [(false, UInt64(8)), (true, 7)] {
            tree.countsToLookup = countsToLookup
            let answer = try await answer(Diagnostic(kind: .crash, tree: tree))
            #expect(answer.frames.map(\.functionDistance) == [4, last])
        }
    }

    @Test("of a hang lies on the heaviest path")
    func hang() async throws {
        var tree = CallStackTree.samples([
            .at(0, samples: 9), .at(16, parent: 0, samples: 2), .at(80, parent: 0, samples: 7),
        ])
        tree.stacks[0].isAttributed = false
        let answer = try await answer(Diagnostic(kind: .hang, tree: tree))
        #expect(answer.culprit == "Cart::add()")
    }

    @Test("the message is what the program said, before what a number means")
    func message() async throws {
        var details = DiagnosticDetails()
        details.exceptionType = 6
        details.signal = 5
        var answer = try await self.answer([.at(32), .at(16)], details: details)
        #expect(answer.exceptionName == "EXC_BREAKPOINT")
        #expect(answer.exceptionMessage == "Index out of range")

        answer = try await self.answer([.at(16), .at(32)], details: details)
        #expect(answer.exceptionMessage == "Trace, breakpoint, etc.")

        details.objectiveCExceptionName = "NSRangeException"
        details.objectiveCExceptionMessage = "index 3 beyond bounds"
        answer = try await self.answer([.at(32)], details: details)
        #expect(answer.exceptionName == "NSRangeException")
        #expect(answer.exceptionMessage == "index 3 beyond bounds")
    }

    @Test(
        "what loader, runtime and simulator note in each report is no message",
        arguments: [
            ("dyld3 mode\nthe press is jammed", "the press is jammed"),
            ("abort() called\nCoreSimulator 802.6 - Device: Tree 7", "abort() called"),
            ("dyld2 mode", "bus error"),
            ("dyld4 config: ROOT=/a", "bus error"),
            ("objc[4711]: garbage collection is OFF", "bus error"),
        ])
    func notes(said: String, message: String) async throws {
        var details = DiagnosticDetails()
        details.signal = 10
        details.applicationMessages = [said]
        #expect(try await answer([.at(16)], details: details).exceptionMessage == message)
        details.applicationMessages = []
        details.runtimeMessage = said
        #expect(try await answer([.at(16)], details: details).exceptionMessage == message)
    }

    @Test("without a Mach exception the signal tells, by Darwin's numbers")
    func signal() async throws {
        var details = DiagnosticDetails()
        details.signal = 10
        var answer = try await self.answer([.at(16)], details: details)
        #expect(answer.exceptionName == "SIGBUS")
        #expect(answer.exceptionMessage == "bus error")
        details.signal = 59
        answer = try await self.answer([.at(16)], details: details)
        #expect(answer.exceptionName == "Unknown signal: 59")
        details.exceptionType = 57
        answer = try await self.answer([.at(16)], details: details)
        #expect(answer.exceptionName == "Unknown exception type: 57")
        answer = try await self.answer([.at(16)], details: DiagnosticDetails())
        #expect(answer.exceptionName == nil)
    }

    @Test(
        "has a name without arguments for telemetry",
        arguments: [
            ("Cart.total(for:)", "Cart.total"), ("main", "main"),
            ("Cart.map<A>(_:)", "Cart.map<A>"),
            ("closure #1 in Cart.total(for:)", "closure #1 in Cart.total"),
            ("static Cart.== infix(_:_:)", "static Cart.== infix"),
            ("Cart.price.getter", "Cart.price.getter"), ("-[Cart add:to:]", "-[Cart add:to:]"),
            ("+[Cart(Sale) shared]", "+[Cart(Sale) shared]"),
            ("Cart::add(int) const", "Cart::add"),
            ("(anonymous namespace)::add(int)", "(anonymous namespace)::add"),
            ("void call<int (*)(char)>(int)", "void call<int (*)(char)>"),
            ("Cart::operator()(int) const", "Cart::operator()"),
            ("operator<<(Out&, Cart)", "operator<<"), ("", ""),
        ])
    func codeFunctionName(function: String, name: String) {
        var row = SymbolicatedFrame(physical: 0, frame: .at(0), status: .symbolicated)
        #expect(row.codeFunctionName == nil)
        row.function = function
        #expect(row.codeFunctionName == name)
    }

    private func answer(
        _ frames: [CallFrame], details: DiagnosticDetails = DiagnosticDetails()
    ) async throws -> SymbolicatedDiagnostic {
        try await answer(Diagnostic(kind: .crash, details: details, tree: .thread(frames)))
    }

    private func answer(_ diagnostic: Diagnostic) async throws -> SymbolicatedDiagnostic {
        let symbols = KnownSymbols(
            functions: Self.names.enumerated().map { position, name in
                .init(range: UInt64(position) * 16..<UInt64(position + 1) * 16, frames: [.at(name)])
            })
        let supply = try symbols.supply()
        return await Symbolicator(
            provider: KnownProvider(supplies: [.shop: supply, .kit: supply]),
            inApp: { InAppRules(system: ["libsystem_c.dylib"]) }
        ).symbolicate(diagnostic)
    }
}

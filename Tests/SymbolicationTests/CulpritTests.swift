import CallStacks
import IndexSupport
import Symbolication
import Testing

@Suite("Culprit and exception")
struct CulpritTests {
    /// A function at each multiple of 16; compiler-generated names are as compilers write them.
    private static let names = [
        "checkout", "total", "Swift runtime failure: Index out of range", "$s4main1fyyFTR",
        "OUTLINED_FUNCTION_3", "_ZN4Cart3addEv", "raise", "$s4Shop4CartV5total3forSiSaySiG_tF",
        "main",
    ]

    struct Row: Sendable, CustomTestStringConvertible {
        var testDescription: String
        /// Positions in `names`, innermost first; `nil` for a frame that stays raw.
        var functions: [Int?]
        /// The number of innermost frames that are the system's.
        var systemFrames = 0
        var culprit: String?
    }

    @Test(
        "is the innermost function in the app's own source code",
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
            Row(testDescription: "a Swift function", functions: [7], culprit: "Cart.total(for:)"),
            Row(
                testDescription: "only a thunk", functions: [nil, 4],
                culprit: "OUTLINED_FUNCTION_3"),
            Row(
                testDescription: "no app frame", functions: [6, nil], systemFrames: 1,
                culprit: nil),
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
        let result = try await symbolicated(frames)
        #expect(result.culprit == row.culprit)
        let culprit = result.culpritIndex.flatMap { result.frames.dropFirst($0).first }
        #expect(culprit?.function == row.culprit)
    }

    @Test(
        "is a function in the app's own sources rather than one in a toolchain header",
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
        let result = await Symbolicator(
            provider: KnownProvider(supplies: [.shop: try symbols.supply()])
        ).symbolicate(Diagnostic(kind: .crash, tree: .thread([.at(0)])))
        #expect(result.culprit == culprit)
    }

    @Test("distances end at the address as received, or at the lookup offset if the report's do")
    func distances() async throws {
        var tree = CallStackTree.thread([.at(4), .at(24)])
        tree.frames[1].site = .returnAddress(ImageOffset(24))
        for (distancesEndAtLookupOffset, last) in [(false, UInt64(8)), (true, 7)] {
            tree.distancesEndAtLookupOffset = distancesEndAtLookupOffset
            let result = try await symbolicated(Diagnostic(kind: .crash, tree: tree))
            #expect(result.frames.map(\.functionDistance) == [4, last])
        }
    }

    /// One call of a sampled stack: the function's position in `names`, the caller, and the
    /// samples.
    private typealias Sample = (function: UInt64, caller: Int?, samples: UInt64)

    private func culprit(of calls: [Sample]) async throws -> String? {
        let frames = calls.enumerated().map { position, call in
            let isSystem = Self.names[Int(call.function)] == "raise"
            return CallFrame.at(
                call.function * 16 + UInt64(position % 16), of: isSystem ? .kit : .shop,
                isSystem ? "libsystem_c.dylib" : "Shop", parent: call.caller, samples: call.samples)
        }
        let hang = Diagnostic(kind: .hang, tree: .samples(frames))
        return try await symbolicated(hang).culprit
    }

    @Test("of a hang is the function with most of its caller's time, in however many calls")
    func hang() async throws {
        #expect(try await culprit(of: [(0, nil, 9), (1, 0, 2), (5, 0, 7)]) == "Cart::add()")
        #expect(
            try await culprit(of: [(1, nil, 10), (0, 0, 3), (5, 0, 4), (0, 0, 3)]) == "checkout",
            "called twice from different lines, it has more than the heaviest single call")
    }

    @Test("of a hang is the caller, if no callee has half of the time")
    func spreadHang() async throws {
        #expect(try await culprit(of: [(1, nil, 10), (0, 0, 4), (5, 0, 3), (7, 0, 3)]) == "total")
        #expect(try await culprit(of: [(1, nil, 10), (0, 0, 4)]) == "total", "the rest is its own")
    }

    @Test("of a hang has the time of the system's calls")
    func hangInSystem() async throws {
        #expect(
            try await culprit(of: [(1, nil, 10), (0, 0, 9), (6, 1, 8), (5, 0, 1)]) == "checkout")
        #expect(try await culprit(of: [(6, nil, 10), (1, 0, 9), (6, 1, 9)]) == "total")
    }

    @Test("of a hang is not the entry point, which waits for events")
    func hangInEventLoop() async throws {
        #expect(try await culprit(of: [(8, nil, 10), (6, 0, 9), (1, 1, 2)]) == "total")
        #expect(try await culprit(of: [(8, nil, 10), (6, 0, 10)]) == "main")
    }

    @Test("the program's own message comes before the general meaning of a number")
    func message() async throws {
        var details = DiagnosticDetails()
        details.exceptionType = 6
        details.signal = 5
        var result = try await self.symbolicated([.at(32), .at(16)], details: details)
        #expect(result.exceptionName == "EXC_BREAKPOINT")
        #expect(result.exceptionMessage == "Index out of range")

        result = try await self.symbolicated([.at(16), .at(32)], details: details)
        #expect(result.exceptionMessage == "Trace, breakpoint, etc.")

        details.objectiveCExceptionName = "NSRangeException"
        details.objectiveCExceptionMessage = "index 3 beyond bounds"
        result = try await self.symbolicated([.at(32)], details: details)
        #expect(result.exceptionName == "NSRangeException")
        #expect(result.exceptionMessage == "index 3 beyond bounds")
    }

    @Test("the leaf of a sample of an unknown kind was not stopped at a trap")
    func sampledTrap() async throws {
        let tree = CallStackTree.thread([.at(32)])
        var sampled = tree
        sampled.form = .sampled
        let stopped = try await symbolicated(Diagnostic(kind: .unknown, tree: tree))
        #expect(stopped.exceptionMessage == "Index out of range")
        let result = try await symbolicated(Diagnostic(kind: .unknown, tree: sampled))
        #expect(result.exceptionMessage == nil)
    }

    @Test("names and messages without any text are absent", arguments: ["", " \n"])
    func blank(text: String) async throws {
        var details = DiagnosticDetails()
        details.objectiveCExceptionName = text
        details.objectiveCExceptionMessage = text
        details.exceptionName = text
        var result = try await self.symbolicated([.at(16)], details: details)
        #expect(result.exceptionName == nil)
        #expect(result.exceptionMessage == nil)
        details.signal = 11
        result = try await self.symbolicated([.at(16)], details: details)
        #expect(result.exceptionName == "SIGSEGV")
        details.exceptionType = 1
        result = try await self.symbolicated([.at(16)], details: details)
        #expect(result.exceptionName == "EXC_BAD_ACCESS")
    }

    @Test(
        "the message of a trap is that of the exception only if a trap raises the exception",
        arguments: [
            ("EXC_BREAKPOINT", "SIGTRAP", true), ("EXC_BAD_INSTRUCTION", "SIGILL", true),
            ("EXC_BREAKPOINT", nil, true), ("EXC_CRASH", "SIGTRAP", true),
            (nil, "SIGILL", true), (nil, "SIGTRAP", true), (nil, nil, true),
            ("EXC_RESOURCE", nil, false), ("EXC_RESOURCE", "SIGTRAP", false),
            ("EXC_GUARD", nil, false), ("EXC_BAD_ACCESS", "SIGSEGV", false),
            ("EXC_CRASH", "SIGKILL", false), ("EXC_CRASH", nil, false), (nil, "SIGXCPU", false),
        ] as [(String?, String?, Bool)])
    func trap(exception: String?, signal: String?, isTrap: Bool) async throws {
        var details = DiagnosticDetails()
        details.exceptionType = exception.flatMap(MachException.init(name:))?.rawValue
        details.signal = signal.flatMap(DarwinSignal.init(name:))?.rawValue
        let result = try await symbolicated([.at(32)], details: details)
        #expect((result.exceptionMessage == "Index out of range") == isTrap)
        details.exceptionType = nil
        details.exceptionName = exception
        let named = try await symbolicated([.at(32)], details: details)
        #expect((named.exceptionMessage == "Index out of range") == isTrap)
    }

    @Test("only crashes and stacks of an unknown kind have the message of a trap")
    func trapKinds() async throws {
        for kind in DiagnosticKind.allCases {
            let result = try await symbolicated(
                Diagnostic(
                    kind: kind, details: DiagnosticDetails(), tree: .thread([.at(32)])))
            let isShown = kind == .crash || kind == .unknown
            #expect(result.exceptionMessage == (isShown ? "Index out of range" : nil))
        }
    }

    @Test(
        "lines that the loader, runtime and simulator add to every report are not a message",
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
        #expect(try await symbolicated([.at(16)], details: details).exceptionMessage == message)
        details.applicationMessages = []
        details.runtimeMessage = said
        #expect(try await symbolicated([.at(16)], details: details).exceptionMessage == message)
    }

    @Test("without a Mach exception the name is the signal's, by Darwin's numbers")
    func signal() async throws {
        var details = DiagnosticDetails()
        details.signal = 10
        var result = try await self.symbolicated([.at(16)], details: details)
        #expect(result.exceptionName == "SIGBUS")
        #expect(result.exceptionMessage == "bus error")
        details.signal = 59
        result = try await self.symbolicated([.at(16)], details: details)
        #expect(result.exceptionName == "Unknown signal: 59")
        details.exceptionType = 57
        result = try await self.symbolicated([.at(16)], details: details)
        #expect(result.exceptionName == "Unknown exception type: 57")
        result = try await self.symbolicated([.at(16)], details: DiagnosticDetails())
        #expect(result.exceptionName == nil)
    }

    @Test(
        "its name for telemetry has no arguments",
        arguments: [
            ("Cart.total(for:)", "Cart.total"), ("main", "main"),
            ("Cart.map<A>(_:)", "Cart.map<A>"),
            ("closure #1 in Cart.total(for:)", "closure #1 in Cart.total"),
            ("static Cart.== infix(_:_:)", "static Cart.== infix"),
            ("static Cart.< infix(_:_:)", "static Cart.< infix"),
            ("static Cart.<<~ infix<A>(_:_:)", "static Cart.<<~ infix<A>"),
            ("static Cart.<- prefix(_:)", "static Cart.<- prefix"),
            ("Cart.price.getter", "Cart.price.getter"), ("-[Cart add:to:]", "-[Cart add:to:]"),
            ("+[Cart(Sale) shared]", "+[Cart(Sale) shared]"),
            ("Cart::add(int) const", "Cart::add"),
            ("(anonymous namespace)::add(int)", "(anonymous namespace)::add"),
            ("void call<int (*)(char)>(int)", "void call<int (*)(char)>"),
            ("Cart::operator()(int) const", "Cart::operator()"),
            ("operator<<(Out&, Cart)", "operator<<"), ("", ""),
            ("foo<operators::Plus (*)(int)>::apply(int)", "foo<operators::Plus (*)(int)>::apply"),
            ("foo<&Cart::operator()>::apply(int)", "foo<&Cart::operator()>::apply"),
            ("operators::add(int)", "operators::add"),
            ("Cart::cooperator(int)", "Cart::cooperator"),
            (
                "f(int)::{lambda(int)#1}::operator()(int) const",
                "f(int)::{lambda(int)#1}::operator()"
            ),
            (
                "Cart::operator std::function<int (char)>() const",
                "Cart::operator std::function<int (char)>"
            ),
            ("operator new[](unsigned long)", "operator new[]"),
            ("Cart::operator->()", "Cart::operator->"), ("größe(int)", "größe"),
        ])
    func codeFunctionName(function: String, name: String) {
        var row = SymbolicatedFrame(physical: 0, frame: .at(0), status: .symbolicated)
        #expect(row.codeFunctionName == nil)
        row.function = function
        #expect(row.codeFunctionName == name)
        // Names that are not ASCII are searched by characters, and not by bytes.
        row.function = function + "é"
        #expect(row.codeFunctionName == (name == function ? name + "é" : name))
    }

    @Test(
        "the return type in the name of a C++ template is not part of a title",
        arguments: [
            ("_Z3fooIiEiT_", "int foo<int>(int)", "foo<int>"),
            ("__Z3fooIiEmv.cold.1", "unsigned long foo<int>() (.cold.1)", "foo<int>"),
            ("_Z", "std::map<int, Cart>* shop::Cart::get<int>() const", "shop::Cart::get<int>"),
            ("_Z", "void (anonymous namespace)::foo<int>(int)", "(anonymous namespace)::foo<int>"),
            ("_Z", "decltype(auto) foo<int>(int)", "foo<int>"),
            ("_Z", "std::enable_if<(1 > 0), int>::type foo<1>(int)", "foo<1>"),
            ("_Z", "bool operator==<int>(A<int>, A<int>)", "operator==<int>"),
            ("_Z", "A& shop::operator<< <int>(A&, int)", "shop::operator<< <int>"),
            ("_Z", "Cart::operator unsigned int() const", "Cart::operator unsigned int"),
            ("_Z", "void (*foo<int>(int))(char)", "foo<int>"),
            (
                "_Z", "auto f<int>(int)::'lambda'()::operator()() const",
                "f<int>(int)::'lambda'()::operator()"
            ),
            (
                "_Z", "f() const::{lambda()#1}::operator()() const",
                "f() const::{lambda()#1}::operator()"
            ),
            ("_Z", "operators<int>::of(int)", "operators<int>::of"),
            ("_ZThn8_N1A1fEv", "non-virtual thunk to A::f()", "non-virtual thunk to A::f"),
            ("$s4Shop3fooyyF", "static Cart.foo(_:)", "static Cart.foo"),
        ])
    func returnType(mangled: String, function: String, name: String) {
        var row = SymbolicatedFrame(physical: 0, frame: .at(0), status: .symbolicated)
        (row.function, row.mangled) = (function, mangled)
        #expect(row.codeFunctionName == name)
    }

    @Test("the culprit of a C++ template has arguments and no return type")
    func culpritWithoutReturnType() async throws {
        let symbols = KnownSymbols(
            functions: [.init(range: 0..<16, frames: [.at("_Z3fooIiEiT_")])])
        let supply = try symbols.supply()
        let result = await Symbolicator(
            provider: KnownProvider(supplies: [.shop: supply]), inApp: { InAppRules() }
        ).symbolicate(
            Diagnostic(kind: .crash, details: DiagnosticDetails(), tree: .thread([.at(8)])))
        #expect(result.frames.first?.function == "int foo<int>(int)")
        #expect(result.culprit == "foo<int>(int)")
        #expect(result.withoutInlinedCalls().culprit == "foo<int>(int)")
    }

    private func symbolicated(
        _ frames: [CallFrame], details: DiagnosticDetails = DiagnosticDetails()
    ) async throws -> SymbolicatedDiagnostic {
        try await symbolicated(Diagnostic(kind: .crash, details: details, tree: .thread(frames)))
    }

    private func symbolicated(_ diagnostic: Diagnostic) async throws -> SymbolicatedDiagnostic {
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

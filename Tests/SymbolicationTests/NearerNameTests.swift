import CallStacks
import Testing

@testable import Symbolication

@Suite("The report's names of system frames")
struct NearerNameTests {
    /// Symbolicates a stack whose innermost frame is at 0x40 of a system image that has a function
    /// at 0x10, and is named by the report.
    private func symbolicated(
        named function: ReportedFunction?, at site: CallSite = .programCounter(ImageOffset(0x40)),
        symbols: KnownSymbols = Self.exports
    ) async throws -> SymbolicatedDiagnostic {
        var innermost = CallFrame.at(0x40, of: .kit, "UIKitCore")
        innermost.site = site
        var diagnostic = Diagnostic(kind: .crash, tree: .thread([innermost, .at(0x20)]))
        diagnostic.tree.reportedFunctions[0] = function.map { [$0] }
        return try await Symbolicator.symbolicated(diagnostic, with: [.kit: symbols])
    }

    private static let functions: [(name: String, range: Range<UInt64>)] = [("run", 0x10..<0x100)]
    private static let exports = KnownSymbols(
        symbols: functions, isOfSystem: true, hasExportsOnly: true)

    @Test(
        "are kept with their distances if they are nearer than an exported symbol",
        arguments: [
            (0, "press"), (0x2f, "press"), (0x30, "run"), (0x31, "run"), (0x41, "run"),
            (.max, "run"), (nil, "run"),
        ] as [(UInt64?, String)])
    func nearer(distance: UInt64?, name: String) async throws {
        let result = try await symbolicated(
            named: ReportedFunction(name: "press", distance: distance))
        let frame = try #require(result.frames.first)
        #expect(frame.function == name)
        #expect(frame.functionDistance == (name == "press" ? distance : 0x30))
        #expect(frame.remarks == (name == "press" ? [.nameGiven] : []))
    }

    @Test("change nothing else")
    func summary() async throws {
        let expected = try await symbolicated(named: nil)
        let result = try await symbolicated(named: ReportedFunction(name: "press", distance: 4))
        #expect(result.frames.map(\.function) == ["press", nil])
        #expect(result.frames.map(\.status) == expected.frames.map(\.status))
        #expect(result.frames.map(\.isInApp) == expected.frames.map(\.isInApp))
        #expect(result.images == expected.images)
        #expect(result.status == expected.status)
        #expect(result.culprit == expected.culprit)
        #expect(result.fingerprint == expected.fingerprint)
    }

    @Test(
        "do not replace symbols that are complete, or not of a system image",
        arguments: [
            KnownSymbols(symbols: functions, isOfSystem: true), KnownSymbols(symbols: functions),
            KnownSymbols(
                functions: [.init(range: 0x10..<0x100, frames: [.at("run", line: 0)])],
                isOfSystem: true, hasExportsOnly: true),
        ])
    func others(symbols: KnownSymbols) async throws {
        let result = try await symbolicated(
            named: ReportedFunction(name: "press", distance: 4), symbols: symbols)
        #expect(result.frames.first?.function == "run")
        #expect(result.frames.first?.functionDistance == 0x30)
    }

    @Test("are those of the next function if a return address is at its start")
    func returnAddress() async throws {
        let site = CallSite.returnAddress(ImageOffset(0x40))
        let next = try await symbolicated(
            named: ReportedFunction(name: "press", distance: 0), at: site)
        #expect(next.frames.first?.function == "run")
        let own = try await symbolicated(
            named: ReportedFunction(name: "press", distance: 1), at: site)
        #expect(own.frames.first?.function == "press")
    }

    @Test(
        "start before the address, or before the offset that is looked up",
        arguments: [(false, 0x3c), (true, 0x3b)] as [(Bool, UInt64)])
    func start(endsAtLookupOffset: Bool, start: UInt64) {
        var caller = CallFrame.at(0x40)
        caller.site = .returnAddress(ImageOffset(0x40))
        var tree = CallStackTree.thread([caller, caller])
        tree.distancesEndAtLookupOffset = endsAtLookupOffset
        tree.reportedFunctions[0] = [
            ReportedFunction(name: "inlined", distance: 2, isInlined: true),
            ReportedFunction(name: "press", distance: 4),
        ]
        #expect(tree.reportedStart(at: 0) == ImageOffset(start))
        #expect(tree.reportedStart(at: 1) == nil)
    }
}

import CallStacks
import Symbolication
import Testing

@Suite("Names of system frames")
struct SystemNamesTests {
    /// Symbolicates a stack whose innermost frame is in a system image, with a name from its
    /// symbols.
    private func symbolicated(
        hasSystem: Bool, hasApp: Bool, given: String? = nil, library: String = "UIKitCore"
    ) async throws -> SymbolicatedDiagnostic {
        var diagnostic = Diagnostic(
            kind: .crash, details: DiagnosticDetails(),
            tree: .thread([.at(0x10, of: .kit, library), .at(0x20)]))
        if let given {
            diagnostic.tree.reportedFunctions[0] = [ReportedFunction(name: given, distance: 16)]
        }
        var symbols: [ImageID: KnownSymbols] = [:]
        if hasSystem {
            symbols[.kit] = KnownSymbols(
                symbols: [("-[UIApplication _run]", 0..<0x100)], isOfSystem: true)
        }
        if hasApp {
            symbols[.shop] = KnownSymbols(functions: [
                .init(range: 0..<0x100, frames: [.at("press")])
            ])
        }
        return try await Symbolicator.symbolicated(diagnostic, with: symbols)
    }

    @Test(
        "change neither status, culprit nor fingerprint, and stay the system's",
        arguments: [true, false])
    func titles(hasApp: Bool) async throws {
        let raw = try await symbolicated(hasSystem: false, hasApp: hasApp)
        let named = try await symbolicated(hasSystem: true, hasApp: hasApp)
        try #require(!named.frames.isEmpty)
        #expect(named.frames[0].function == "-[UIApplication _run]")
        #expect(named.frames[0].status == .symbolOnly)
        #expect(!named.frames[0].isInApp)
        #expect(named.status == raw.status)
        #expect(named.culprit == raw.culprit)
        #expect(named.fingerprint == raw.fingerprint)
        #expect(named.exceptionName == raw.exceptionName)
    }

    @Test("make an image the system's that has neither an address nor a known name")
    func unknownName() async throws {
        let raw = try await symbolicated(hasSystem: false, hasApp: false, library: "liba.dylib")
        let named = try await symbolicated(hasSystem: true, hasApp: false, library: "liba.dylib")
        #expect(raw.frames.first?.isInApp == true)
        #expect(named.frames.first?.function == "-[UIApplication _run]")
        #expect(named.frames.first?.isInApp == false)
        #expect(named.culprit == nil)
    }

    @Test(
        "of libraries on Linux change neither culprit nor fingerprint",
        arguments: ["libc.so.6", "libswiftCore.so", "libasan.so.8"])
    func linux(library: String) async throws {
        let diagnostic = Diagnostic(
            kind: .crash, details: DiagnosticDetails(),
            tree: .thread([.at(0x10, of: .kit, library), .at(0x20)]))
        let symbols = KnownSymbols(functions: [
            .init(range: 0..<0x100, frames: [.at("_assertionFailure")])
        ])
        let raw = try await Symbolicator.symbolicated(
            diagnostic, with: [ImageID: KnownSymbols]())
        let named = try await Symbolicator.symbolicated(diagnostic, with: [.kit: symbols])
        #expect(named.frames.first?.function == "_assertionFailure")
        #expect(raw.culprit == nil)
        #expect(named.culprit == nil)
        #expect(named.fingerprint == raw.fingerprint)
    }

    @Test("do not change the title if the report itself names the frame")
    func given() async throws {
        let raw = try await symbolicated(
            hasSystem: false, hasApp: false, given: "-[UIApplication _run]")
        let named = try await symbolicated(
            hasSystem: true, hasApp: false, given: "-[UIApplication _run]")
        try #require(!named.frames.isEmpty)
        #expect(named.frames[0].function == "-[UIApplication _run]")
        #expect(named.culprit == raw.culprit)
        #expect(named.fingerprint == raw.fingerprint)
    }

    @Test("end the wait for an image that already has all its symbols")
    func complete() async throws {
        let named = try await symbolicated(hasSystem: true, hasApp: true)
        #expect(named.imagesLackingSymbols.system.isEmpty)
        #expect(named.images.first { $0.image == .kit }?.status == .found)
    }
}

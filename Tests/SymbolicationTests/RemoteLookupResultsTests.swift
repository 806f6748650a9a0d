import CallStacks
import Symbolication
import Synchronization
import Testing

@Suite("Remote symbols")
struct RemoteLookupResultsTests {
    /// Responds to lookups like a service, and records the requested offsets.
    private final class RemoteProvider: SymbolProvider {
        let wanted = Mutex<[[ImageOffset]]>([])
        let status: FrameStatus
        let isOfSystem: Bool

        init(status: FrameStatus = .symbolicated, isOfSystem: Bool = false) {
            self.status = status
            self.isOfSystem = isOfSystem
        }

        func symbols(for image: ImageID) async -> SymbolSupply { .missing }

        func symbols(for image: ImageID, at offsets: [ImageOffset]) async -> SymbolSupply {
            wanted.withLock { $0.append(offsets) }
            guard image == .shop else { return .missing }
            var symbols = RemoteLookupResults(
                architecture: .arm64, isSymbolTableOnly: false, names: ["outer", "inner"],
                files: [SourceFile(folder: "/src", name: "File.swift")])
            symbols.isOfSystem = isOfSystem
            for offset in offsets where offset.rawValue < 0x300 {
                symbols.results[offset] = result(offset)
            }
            return .remote(symbols)
        }

        private func result(_ offset: ImageOffset) -> OffsetLookupResult {
            var result = OffsetLookupResult(.shop, offset, status)
            guard status.isResolved, offset.rawValue < 0x200 else {
                result.isOutsideCode = status.isResolved
                result.status = status.isResolved ? .notFound : status
                return result
            }
            for (name, line) in [(1, 7), (0, 9)] {
                result.functions.append(
                    ResolvedFunction(
                        status: .symbolicated, name: name, file: 0, line: UInt32(line), column: 0,
                        isApproximate: false, isInlined: name == 1, isInSourceFile: true))
            }
            result.functionStart = ImageOffset(0x100)
            return result
        }
    }

    private func crash(_ frames: CallFrame...) -> Diagnostic {
        Diagnostic(kind: .crash, tree: .thread(frames))
    }

    @Test("each image is queried once, for the distinct offsets of its frames")
    func report() async throws {
        let provider = RemoteProvider()
        let result = await Symbolicator(provider: provider).symbolicate(
            crash(.at(0x210), .at(0x110), .at(0x110), .at(0x310)))
        #expect(provider.wanted.withLock { $0 } == [[0x110, 0x210, 0x310].map { ImageOffset($0) }])
        #expect(
            result.frames.map(\.function) == [nil, "inner", "outer", "inner", "outer", nil])
        try #require(result.frames.map(\.line) == [0, 7, 9, 7, 9, 0])
        #expect(result.frames[2].functionDistance == 0x10)
        #expect(result.frames[0].remarks == [.offsetOutsideText])
        #expect(result.frames[5].status == .notFound)
        #expect(result.images.map(\.status) == [.found])
        #expect(result.images.first?.architecture == "arm64")
    }

    @Test("an image with a corrupt result at one offset is corrupt")
    func corrupt() async {
        let provider = RemoteProvider(status: .corruptIndex)
        let result = await Symbolicator(provider: provider).symbolicate(crash(.at(0x110)))
        #expect(result.images.map(\.status) == [.corrupt])
        var lookup = OffsetLookup(provider: provider)
        #expect(await lookup.result(for: .shop, at: ImageOffset(0x110)).status == .corruptIndex)
    }

    @Test("a remote system image is reported as such, and its frames are not the app's")
    func systemImage() async {
        for isOfSystem in [true, false] {
            let provider = RemoteProvider(isOfSystem: isOfSystem)
            let report = await Symbolicator(provider: provider).symbolicate(crash(.at(0x110)))
            #expect(report.images.map(\.isOfSystem) == [isOfSystem])
            var lookup = OffsetLookup(provider: provider)
            let result = await lookup.result(for: .shop, at: ImageOffset(0x110))
            #expect(result.isOfSystem == isOfSystem)
            #expect(lookup.frames(of: result).map(\.isInApp) == [!isOfSystem, !isOfSystem])
        }
    }

    @Test("offsets that were fetched together are not requested again")
    func lookups() async {
        let provider = RemoteProvider()
        var lookup = OffsetLookup(provider: provider)
        let offsets = [0x110, 0x120, 0x210].map { ImageOffset($0) }
        #expect(await lookup.fetch(.shop, at: offsets) == nil)
        var names: [String] = []
        for offset in offsets {
            let result = await lookup.result(for: .shop, at: offset)
            names += lookup.frames(of: result).compactMap(\.function)
        }
        #expect(names == ["inner", "outer", "inner", "outer"])
        #expect(provider.wanted.withLock { $0.count } == 1)
        #expect(lookup.immediateResult(for: .shop, at: offsets[0]) == nil)
        #expect(await lookup.result(for: .shop, at: ImageOffset(0x130)).functions.count == 2)
        #expect(provider.wanted.withLock { $0.count } == 2)
        #expect(await lookup.result(for: .pay, at: offsets[0]).status == .missingImage)
    }
}

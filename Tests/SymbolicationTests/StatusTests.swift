import ByteReading
import CallStacks
import IndexSupport
import Symbolication
import Testing

@testable import SymbolIndexes

@Suite("The status of each frame and image")
struct StatusTests {
    private let symbols = KnownSymbols(
        functions: [
            .init(range: 0x100..<0x200, frames: [.at("known", line: 7)]),
            .init(range: 0x300..<0x400, frames: [.at(nil, line: 3, file: "start.s")]),
            .init(range: 0xff000..<0x100000, frames: [.at("last")]),
        ], symbols: [("symbol", 0x200..<0x300)])

    @Test(
        "a frame of an image with symbols",
        arguments: [
            (0x110, FrameStatus.symbolicated), (0x210, .symbolOnly), (0x310, .notFound),
            (0x410, .notFound), (0x20_0000, .notFound),
        ] as [(UInt64, FrameStatus)])
    func found(offset: UInt64, status: FrameStatus) async throws {
        let result = try await Symbolicator.symbolicated(crash(.at(offset)), with: [.shop: symbols])
        try #require(result.frames.map(\.status) == [status])
        #expect(result.images.map(\.status) == [.found])
        #expect(result.images.first?.architecture == "arm64")
        #expect(result.frames[0].remarks == (offset == 0x20_0000 ? [.offsetOutsideText] : []))
    }

    @Test(
        "an offset is outside from the end of the text on, not from that of the code",
        arguments: [0x10_0000, 0x17_ffff, 0x18_0000, .max] as [UInt64])
    func outside(offset: UInt64) async throws {
        var symbols = symbols
        symbols.textSize = 0x18_0000
        let result = try await Symbolicator.symbolicated(crash(.at(offset)), with: [.shop: symbols])
        try #require(result.frames.map(\.status) == [.notFound])
        #expect(result.frames[0].remarks == (offset >= 0x18_0000 ? [.offsetOutsideText] : []))
    }

    @Test("code without a function keeps its line")
    func lineWithoutFunction() async throws {
        let result = try await Symbolicator.symbolicated(crash(.at(0x310)), with: [.shop: symbols])
        try #require(!result.frames.isEmpty)
        #expect(result.frames[0].function == nil)
        #expect(result.frames[0].file?.name == "start.s")
        #expect(result.frames[0].line == 3)
    }

    @Test("a frame of an image with a symbol table only")
    func noDebugInformation() async throws {
        let table = KnownSymbols(symbols: [
            ("symbol", 0x200..<0x300), ("last", 0xff000..<0x100000),
        ])
        let result = try await Symbolicator.symbolicated(
            crash(.at(0x210), .at(0x410)), with: [.shop: table])
        #expect(result.frames.map(\.status) == [.symbolOnly, .noDebugInfo])
        #expect(result.images.map(\.status) == [.noDebugInfo])
    }

    @Test("a frame of an image without symbols")
    func missing() async throws {
        let result = try await Symbolicator.symbolicated(crash(.at(0x110)), with: nothing)
        #expect(result.frames.map(\.status) == [.missingImage])
        #expect(result.images.map(\.status) == [.missing])
        #expect(result.missingImages == ["Shop 01010101-0101-0101-0101-010101010101"])
    }

    @Test("an image that the report does not name has the name of its debug file")
    func imageName() async throws {
        let provider = KnownProvider(
            supplies: [.shop: try symbols.supply(), .pay: try symbols.supply()],
            names: [.shop: "File", .pay: "Pay", .kit: "Kit"])
        let frames: [CallFrame] = [
            .at(0x110, of: .shop, "Shop"), .at(0x110, of: .pay, nil), .at(0x110, of: .kit, nil),
        ]
        let result = await Symbolicator(provider: provider).symbolicate(
            Diagnostic(kind: .crash, details: DiagnosticDetails(), tree: .thread(frames)))
        #expect(result.frames.map(\.imageName) == ["Shop", "Pay", nil])
        #expect(result.images.map(\.name) == ["Shop", "Pay", nil])
    }

    @Test("a name of the report keeps its distance if the image is unknown")
    func reportedDistance() async throws {
        var lost = CallFrame.at(0)
        (lost.image, lost.site) = (nil, nil)
        var diagnostic = crash(lost)
        diagnostic.tree.reportedFunctions[0] = [ReportedFunction(name: "press", distance: 16)]
        let result = try await Symbolicator.symbolicated(diagnostic, with: [.shop: symbols])
        #expect(result.frames.map(\.function) == ["press"])
        #expect(result.frames.map(\.functionDistance) == [16])
        #expect(result.frames.map(\.status) == [.unknownImage])
    }

    @Test("a frame without an identity or without an offset is not looked up")
    func notLookedUp() async throws {
        var lost = CallFrame.at(0)
        lost.site = nil
        let result = try await Symbolicator.symbolicated(
            crash(.at(0x110, of: nil), lost), with: nothing)
        #expect(result.frames.map(\.status) == [.unknownImage, .badOffset])
        #expect(result.images.map(\.status) == [.unidentified])
        #expect(result.images.map(\.name) == ["Shop"])
        #expect(result.missingImages.isEmpty)
    }

    @Test("simulated frames are not looked up")
    func simulated() async throws {
        var diagnostic = crash(.at(0x110))
        diagnostic.remarks = [.simulated]
        let result = try await Symbolicator.symbolicated(diagnostic, with: [.shop: symbols])
        #expect(result.frames.map(\.status) == [.badOffset])
        #expect(result.images.isEmpty)
    }

    @Test("symbols that fail at one offset are used for none, and other images are unaffected")
    func corrupt() async throws {
        let result = await Symbolicator.symbolicated(
            crash(.at(0x110), .at(0x210), .at(0x110, of: .pay, "Pay"), .at(0x110, of: .kit, "Kit")),
            with: [
                .shop: try damagedSupply(), .pay: try symbols.supply(),
                .kit: .corrupt,
            ])
        #expect(
            result.frames.map(\.status)
                == [.corruptIndex, .corruptIndex, .symbolicated, .corruptIndex])
        #expect(result.images.map(\.status) == [.corrupt, .found, .corrupt])
        #expect(result.images.map(\.frameCount) == [2, 1, 1])
        #expect(result.status == .partial)
    }

    @Test("symbols found damaged are requested once more, and others are not")
    func replaced() async throws {
        let provider = KnownProvider(
            supplies: [.shop: try damagedSupply(), .pay: try symbols.supply(), .kit: .corrupt],
            replacements: [.shop: try symbols.supply(), .pay: .missing, .kit: .missing])
        let result = await Symbolicator(provider: provider).symbolicate(
            crash(.at(0x110), .at(0x210), .at(0x110, of: .pay, "Pay"), .at(0x110, of: .kit, "Kit")))
        #expect(
            result.frames.map(\.status)
                == [.symbolicated, .symbolOnly, .symbolicated, .corruptIndex])
        var lookup = OffsetLookup(provider: provider)
        for offset in [ImageOffset(0x110), ImageOffset(0x210), ImageOffset(0x110)] {
            #expect(await lookup.result(for: .shop, at: offset).status.isResolved)
        }
        #expect(await lookup.result(for: .kit, at: ImageOffset(0x110)).status == .corruptIndex)
    }

    @Test("a lookup without waiting needs the previous image with an intact index")
    func atOnce() async throws {
        let provider = KnownProvider(
            supplies: [.shop: try damagedSupply(), .pay: try symbols.supply()],
            replacements: [.shop: try symbols.supply()])
        var lookup = OffsetLookup(provider: provider)
        #expect(lookup.immediateResult(for: .shop, at: ImageOffset(0x110)) == nil)
        let result = await lookup.result(for: .shop, at: ImageOffset(0x110))
        #expect(result.status.isResolved)
        #expect(lookup.immediateResult(for: .shop, at: ImageOffset(0x110)) == result)
        #expect(lookup.immediateResult(for: .pay, at: ImageOffset(0x110)) == nil)
        #expect(lookup.immediateResult(for: .shop, at: ImageOffset(0x210)) == nil)
        let repaired = await lookup.result(for: .shop, at: ImageOffset(0x210))
        #expect(repaired.status.isResolved)
        #expect(lookup.immediateResult(for: .shop, at: ImageOffset(0x210)) == repaired)
    }

    /// An index with one changed byte, which is intact at 0x110 and fails at 0x210.
    private func damagedSupply() throws -> SymbolSupply {
        let whole = try symbols.bytes()
        for place in whole.indices.reversed() {
            var bytes = whole
            bytes[place] ^= 0xff
            // Damaged as an attacker would: checksums would reveal all other damage.
            let field = IndexLayout.Field.sections + 11 * IndexLayout.Field.sectionSize
            let end = Int(bytes[field]) | Int(bytes[field + 1]) << 8
            guard place < end, place >= IndexLayout.headerSize else { continue }
            let checksums = IndexChunks.checksums(of: bytes.span.extracting(0..<end))
            for (number, checksum) in checksums.enumerated() {
                for byte in 0..<4 {
                    bytes[end + number * 4 + byte] = UInt8(
                        truncatingIfNeeded: checksum >> UInt32(8 * byte))
                }
            }
            guard let index = try? SymbolIndex(FileBytes(bytes)),
                (try? index.frames(at: ImageOffset(0x110))) != nil
            else { continue }
            do { _ = try index.frames(at: ImageOffset(0x210)) } catch { return .found(index) }
        }
        throw NoSuchDamage()
    }

    private struct NoSuchDamage: Error {}

    @Test("a diagnostic is symbolicated, partial or raw by its app frames alone")
    func whole() async throws {
        let system = CallFrame.at(1, of: .kit, "UIKitCore")
        func status(_ frames: CallFrame...) async throws -> SymbolicatedDiagnostic.Status {
            let diagnostic = Diagnostic(kind: .crash, tree: .thread(frames))
            return try await Symbolicator.symbolicated(diagnostic, with: [.shop: symbols]).status
        }
        #expect(try await status(.at(0x110), system) == .symbolicated)
        #expect(try await status(.at(0x110), .at(0x410)) == .partial)
        #expect(try await status(.at(0x410), system) == .raw)
        #expect(try await status(system) == .raw)
        #expect(try await status() == .raw)
    }

    @Test("counts and reasons are of physical frames")
    func summary() async throws {
        var chain = symbols
        chain.functions[0].frames.insert(.at("inlined"), at: 0)
        var diagnostic = crash(
            .at(0x110), .at(0x410), .at(0x420), .at(1, of: .kit, "UIKitCore"), .at(1, of: nil, nil))
        diagnostic.remarks = [.jsonTruncated]
        let result = try await Symbolicator.symbolicated(diagnostic, with: [.shop: chain])
        #expect(result.frameCounts == (5, 1))
        #expect(
            result.rawReasons == """
                not_found: Shop 01010101-0101-0101-0101-010101010101 (2 frames); \
                missing_image: UIKitCore 03030303-0303-0303-0303-030303030303 (1 frame); \
                unknown_image: ??? (1 frame); json_truncated
                """)
        let whole = try await Symbolicator.symbolicated(crash(.at(0x110)), with: [.shop: chain])
        #expect(whole.rawReasons == nil)
    }

    @Test("an image without a name gets its name from other frames")
    func name() async throws {
        let result = try await Symbolicator.symbolicated(
            crash(.at(1, .none), .at(2)), with: nothing)
        #expect(result.frames.map(\.imageName) == ["Shop", "Shop"])
    }

    @Test("a repeated innermost frame of a crash is marked once")
    func duplicate() async throws {
        var other = CallFrame.at(0x110)
        other.site = .returnAddress(ImageOffset(0x110))
        func marks(_ diagnostic: Diagnostic) async throws -> [Bool] {
            try await Symbolicator.symbolicated(diagnostic, with: [.shop: symbols]).frames
                .map { $0.remarks.contains(.duplicateInnermost) }
        }
        var report = crash(.at(0x110), other, other, .at(0x210))
        #expect(try await marks(report) == [false, true, false, false])
        report.kind = .hang
        #expect(try await marks(report) == [false, false, false, false])
        #expect(try await marks(crash(.at(0x210), other, other)) == [false, false, false])
    }

    private let nothing: [ImageID: KnownSymbols] = [:]

    private func crash(_ frames: CallFrame...) -> Diagnostic {
        Diagnostic(kind: .crash, tree: .thread(frames))
    }
}

extension CallFrame {
    fileprivate static func at(_ offset: UInt64, _ name: String?) -> Self {
        .at(offset, of: .shop, name)
    }
}

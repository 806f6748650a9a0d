import CallStacks
import MetricKitPayloads
import Testing

@Suite("Marks of moved offsets on each architecture")
struct CallSiteTests {
    private let flat = flatTree([(67, "dyld"), (35, "Shop"), (16, "Shop")])

    @Test("are detected without addresses on arm64, or if all offsets fit it")
    func arm() throws {
        for architecture in [Architecture.arm64, .arm64e, nil] {
            let hang = try resolved(flat, as: "hangDiagnostics", architecture: architecture)
            #expect(hang.lookups == [67, 35, 16])
        }
        let mixed = flatTree([(67, "dyld"), (34, "Shop"), (16, "Shop")])
        for (name, site) in [
            ("arm64e", CallSite.programCounter(ImageOffset(34))),
            ("aarch64", .programCounter(ImageOffset(34))), ("amd64", .adjusted(ImageOffset(34))),
            ("?", .returnAddress(ImageOffset(34))),
        ] {
            let hang = try resolved(
                mixed, as: "hangDiagnostics", metadata: "\"platformArchitecture\":\"\(name)\"")
            try #require(hang.tree.frames.count > 1)
            #expect(hang.tree.frames[1].site == site, "\(name)")
        }
    }

    @Test("are not detected on x86_64, whose hangs are adjusted anyway")
    func hangOnX86() throws {
        let received = try received(payload(diagnostic(flat), in: "hangDiagnostics"))
        #expect(received.orientation { _ in .x86On64 } == Orientation(.outermostFirst, rule: 3))
        let hang = received.resolved { _ in .x86On64 }
        #expect(hang.lookups == [67, 35, 16])
        #expect(
            hang.tree.frames.map(\.site) == [
                .adjusted(ImageOffset(67)), .adjusted(ImageOffset(35)),
                .programCounter(ImageOffset(16)),
            ])
    }

    @Test("do not prevent the adjustment of a crash on x86_64")
    func crashOnX86() throws {
        let load: UInt64 = 0x1_0000_0000
        let nested = tree([chain([(64, load + 64, "Shop"), (67, load + 67, "dyld")])])
        #expect(try resolved(nested, as: "crashDiagnostics").lookups == [64, 66])
        let known = try resolved(nested, as: "crashDiagnostics", architecture: .x86On64)
        #expect(known.lookups == [64, 66])
        // Four-byte instructions never have the remainders 1 and 2.
        let mixed = flatTree([(65, "Shop"), (67, "Shop"), (66, "dyld")])
        #expect(try resolved(mixed, as: "crashDiagnostics").lookups == [65, 66, 65])
    }

    @Test("are detected by the page if there are addresses, on any architecture")
    func hangWithAddresses() throws {
        let load: UInt64 = 0x1_0000_0000
        let nested = tree([
            chain([(66, load + 67, "dyld"), (50, load + 50, "Shop"), (35, load + 35, "Shop")])
        ])
        let hang = try resolved(nested, as: "hangDiagnostics", architecture: .x86On64)
        #expect(hang.lookups == [66, 49, 35])
    }

    @Test("depend on the debug file's architecture rather than the device's")
    func precedence() throws {
        let metadata = "\"platformArchitecture\":\"arm64\""
        let text = flatTree([(64, "Shop"), (67, "dyld")])
        let device = try resolved(text, as: "crashDiagnostics", metadata: metadata)
        #expect(device.lookups == [67, 64])
        let file = try resolved(
            text, as: "crashDiagnostics", metadata: metadata, architecture: .x86On64)
        #expect(file.lookups == [64, 66])
    }
}

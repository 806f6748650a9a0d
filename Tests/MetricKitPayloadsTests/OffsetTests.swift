import CallStacks
import MetricKitPayloads
import Testing

@Suite("The offset of a frame")
struct OffsetTests {
    private let load: UInt64 = 0x1_00ff_0000

    @Test("is computed from the address if the field has the load address")
    func loadAddressInField() throws {
        let text = tree([
            frame(6_859_616_256, at: 6_859_816_880, [frame(4_303_568_896, at: 4_303_609_936)])
        ])
        let crash = try resolved(text, as: "crashDiagnostics")
        #expect(crash.offsets == [200_624, 41_040])
        #expect(crash.lookups == [200_624, 41_039])
        #expect(
            crash.tree.frames.map { $0.loadAddress?.rawValue } == [6_859_616_256, 4_303_568_896])
        #expect(crash.tree.frames.allSatisfy { $0.remarks.isEmpty })
    }

    @Test("of a single frame with the load address in its field is not adjusted")
    func singleFrame() throws {
        let text = tree([frame(7_977_906_176, at: 7_977_912_628)])
        #expect(try resolved(text).lookups == [6452])
    }

    @Test("is lost in a flat list with load addresses")
    func lost() throws {
        let crash = try resolved(flatTree([(4_303_568_896, "Shop"), (64, "Shop")]))
        #expect(crash.lookups == [nil, 63])
        try #require(!crash.tree.frames.isEmpty)
        #expect(crash.tree.frames[0].remarks == [.offsetIsLoadAddress])
    }

    @Test("is implausible above its address")
    func implausible() throws {
        let crash = try resolved(tree([frame(1 << 32, at: 4096), frame(1 << 32, at: 1 << 33)]))
        #expect(crash.lookups == [nil, nil])
        #expect(crash.tree.frames.map(\.remarks) == [[.offsetImplausible], [.offsetImplausible]])
    }

    @Test("may be as large as 2³² − 1")
    func largest() throws {
        let largest = (UInt64(1) << 32) - 1
        #expect(try resolved(tree([frame(largest, at: load + largest)])).lookups == [largest])
        #expect(try resolved(tree([frame(largest + 1, at: load + largest)])).lookups != [largest])
    }

    @Test("of an inner hang frame results in the load address of its exact sibling")
    func minusOne() throws {
        let leaf = frame(4096, at: load + 4096)
        let text = tree([frame(4099, at: load + 4100, [frame(4095, at: load + 4096, [leaf])])])
        let hang = try resolved(text, as: "hangDiagnostics")
        #expect(hang.lookups == [4099, 4095, 4096])
        #expect(hang.tree.frames.allSatisfy { $0.loadAddress?.rawValue == load })
        #expect(
            hang.tree.frames.map(\.site) == [
                .adjusted(ImageOffset(4099)), .adjusted(ImageOffset(4095)),
                .programCounter(ImageOffset(4096)),
            ])
    }

    @Test("is looked up even if the load address is not page-aligned")
    func unaligned() throws {
        let crash = try resolved(tree([frame(4096, at: load + 4098), frame(4096, at: 7)]))
        #expect(crash.lookups == [4096, 4096])
        #expect(crash.tree.frames.allSatisfy { $0.remarks == [.loadUnaligned] })
        #expect(crash.tree.frames.allSatisfy { $0.loadAddress == nil })
    }

    @Test("is derived from the load address that other frames agree on")
    func derived() throws {
        let known = frame(4096, at: load + 4096)
        let crash = try resolved(tree([known], [frame(nil, at: load + 80)]))
        #expect(crash.offsets == [4096, 80])
        try #require(crash.tree.frames.count > 1)
        #expect(crash.tree.frames[1].remarks == [.offsetDerived])
        #expect(crash.tree.frames[1].loadAddress?.rawValue == load)
        let other = frame(4096, at: load + 8192)
        for stranger in [
            tree([known], [frame(nil, at: load + 80, image: 2)]), tree([known], [frame(nil)]),
            tree([known], [other], [frame(nil, at: load + 9000)]),
            tree([known], [frame(nil, at: 80)]),
            tree([frame(nil, at: load)]),
        ] {
            let last = try #require(try resolved(stranger).tree.frames.last)
            #expect(last.site == nil)
            #expect(last.remarks == [.noOffset], "\(stranger)")
        }
    }

    @Test("of 0 stays 0 when it is adjusted")
    func zero() throws {
        let text = tree([frame(64, [frame(0)])])
        #expect(try resolved(text, as: "crashDiagnostics").lookups == [64, 0])
    }

    @Test("of a worker thread's only frame is not adjusted, of its caller is")
    func idleWorker() throws {
        let crash = try resolved(
            tree([frame(2960)], [frame(64, [frame(2980)])]), as: "crashDiagnostics")
        #expect(crash.lookups == [2960, 64, 2979])
    }

    @Test(
        "may be written in any form of an integer",
        arguments: ["64", "64.0", "6.4e1", "\"64\"", "\"0x40\"", "\"0X40\""])
    func forms(number: String) throws {
        let text = tree([frame(777)]).replacing("777", with: number)
        #expect(try resolved(text).lookups == [64])
    }

    @Test(
        "that is not an integer is missing, with the reason",
        arguments: [
            ("-1", Remark.negativeOffset), ("\"-1\"", .negativeOffset), ("1.5", .numberOutOfRange),
            ("18446744073709551616", .numberOutOfRange), ("true", .numberOutOfRange),
            ("\"x\"", .numberOutOfRange), ("{}", .numberOutOfRange),
            ("\"0x-1\"", .numberOutOfRange),
        ])
    func badForms(number: String, remark: Remark) throws {
        let frames = try resolved(tree([frame(777)]).replacing("777", with: number)).tree.frames
        try #require(!frames.isEmpty)
        #expect(frames[0].site == nil)
        #expect(frames[0].remarks == [remark, .noOffset])
    }

    @Test("leaves addresses of the kernel unchanged")
    func kernel() throws {
        let kernel: UInt64 = 18_446_744_005_123_453_260
        let leaf = frame(454_988, at: kernel, samples: 462)
        let inner = frame(
            454_987, at: kernel, samples: 1, [frame(8, at: kernel - 454_980, samples: 1)])
        let text = tree([frame(4099, at: load + 4100, samples: 463, [leaf, inner])])
        let hang = try resolved(text, as: "hangDiagnostics")
        #expect(hang.lookups == [4099, 454_988, 454_987, 8])
        try #require(hang.tree.frames.count > 2)
        #expect(hang.tree.frames[1].address?.rawValue == kernel)
        #expect(hang.tree.frames[1].loadAddress == hang.tree.frames[2].loadAddress)
    }

    @Test("of simulated data is never looked up, nor its image listed")
    func simulated() throws {
        let text = tree([frame(123, at: 74565, name: "testBinaryName", samples: 20)])
        for array in ["crashDiagnostics", "hangDiagnostics"] {
            let received = try received(payload(diagnostic(text), in: array))
            #expect(received.imageIDs.isEmpty)
            #expect(received.resolved().lookups == [nil])
            #expect(received.resolved().remarks == [.simulated])
        }
        let real = tree([frame(124, at: 74565, name: "testBinaryName")])
        #expect(try resolved(real).remarks.isEmpty)
    }
}

import CallStacks
import MetricKitPayloads
import Testing

@Suite("The orientation of a tree")
struct OrientationTests {
    private let load: UInt64 = 0x1_0000_0000

    private func orientation(_ tree: String, _ array: String = "crashDiagnostics") throws
        -> Orientation
    {
        try received(payload(diagnostic(tree), in: array)).orientation()
    }

    @Test("follows adjusted frames, even a truncated leaf")
    func marks() throws {
        let cut = tree([chain([(4099, load + 4100, "dyld"), (83, load + 84, "Shop")])])
        #expect(try orientation(cut) == Orientation(.outermostFirst, rule: 1))
        #expect(try resolved(cut, as: "hangDiagnostics").lookups == [4099, 83])
        let reversed = tree([chain([(4096, load + 4096, "Shop"), (83, load + 84, "Shop")])])
        #expect(
            try orientation(reversed, "hangDiagnostics") == Orientation(.innermostFirst, rule: 1))
    }

    @Test("follows branching, in spite of a marked leaf")
    func branching() throws {
        let leaves = [frame(80, at: load + 80), frame(95, at: load + 96)]
        let text = tree([frame(4096, at: load + 4096, leaves)])
        #expect(try orientation(text) == Orientation(.outermostFirst, rule: 2))
        let hang = try resolved(
            tree([frame(4096, [frame(80, [frame(64), frame(48)])])]), as: "hangDiagnostics")
        #expect(hang.lookups == [4095, 79, 64, 48])
    }

    @Test(
        "follows the binaries at the ends, whatever the kind",
        arguments: [
            (["dyld", "Shop"], Orientation.Direction.outermostFirst),
            (["Shop", "dyld"], .innermostFirst), (["Shop", "/usr/lib/dyld_sim"], .innermostFirst),
            (["libdyld.dylib", "Shop"], .outermostFirst),
            (["libsystem_pthread.dylib", "Shop"], .outermostFirst),
            (["libsystem_kernel.dylib", "Shop"], .innermostFirst),
            (["Shop", "libsystem_kernel.dylib"], .outermostFirst),
            (["dyld", "libsystem_pthread.dylib"], .outermostFirst),
            (["libsystem_kernel.dylib", "libsystem_pthread.dylib"], .innermostFirst),
        ])
    func ends(names: [String], direction: Orientation.Direction) throws {
        let nested = tree([chain(names.map { (64, nil, $0) })])
        let flat = flatTree(names.map { (64, $0) })
        for array in ["crashDiagnostics", "hangDiagnostics"] {
            #expect(try orientation(nested, array) == Orientation(direction, rule: 3))
            #expect(try orientation(flat, array) == Orientation(direction, rule: 3))
        }
    }

    @Test("follows a kernel address at one end")
    func kernelAddress() throws {
        let text = tree([chain([(64, load + 64, "a"), (32, 0xffff_fff0_0000_0020, "b")])])
        #expect(try orientation(text) == Orientation(.outermostFirst, rule: 3))
    }

    @Test("is the kind's if nothing else decides, and has a remark")
    func byKind() throws {
        let text = tree([frame(64, [frame(32)])])
        for (array, direction) in [
            ("crashDiagnostics", Orientation.Direction.innermostFirst),
            ("hangDiagnostics", .outermostFirst), ("appLaunchDiagnostics", .outermostFirst),
        ] {
            #expect(try orientation(text, array) == Orientation(direction, rule: 4))
            #expect(try resolved(text, as: array).tree.remarks == [.orientationDefault])
        }
        #expect(try received(text).orientation() == Orientation(.innermostFirst, rule: 4))
    }

    @Test("is that of samples if a frame of an unknown kind was sampled more than once")
    func weighted() throws {
        let text = tree([frame(64, samples: 2, [frame(32, samples: 2)])])
        #expect(try received(text).orientation() == Orientation(.outermostFirst, rule: 4))
        let crash = try orientation(text)
        #expect(crash == Orientation(.innermostFirst, rule: 4))
    }

    @Test("is not decided by equal ends, single frames or a tie")
    func noVote() throws {
        let both = ["libsystem_pthread.dylib", "Shop", "libsystem_pthread.dylib"]
        for text in [
            tree([chain(both.map { (64, nil, $0) })]), flatTree(both.map { (64, $0) }),
            tree([frame(64, name: "dyld")]), tree([frame(67)]), flatTree([(67, "dyld")]),
            tree(
                [chain([(64, nil, "dyld"), (64, nil, "a")])],
                [chain([(64, nil, "a"), (64, nil, "dyld")])]),
        ] {
            #expect(try orientation(text).rule == 4, "\(text)")
        }
    }

    @Test("is the majority's")
    func majority() throws {
        let up = chain([(64, nil, "a"), (64, nil, "dyld")])
        let down = chain([(64, nil, "dyld"), (64, nil, "a")])
        #expect(try orientation(tree([down], [up, down])) == Orientation(.outermostFirst, rule: 3))
    }

    @Test("does not change the normal form: stacks innermost first, weighted trees outermost first")
    func normalForm() throws {
        let names = ["Shop", "UIKitCore", "dyld"]
        let inward = names.map { (offset: UInt64(64), name: $0) }
        let outward = Array(inward.reversed())
        for text in [
            flatTree(inward), flatTree(outward),
            tree([chain(inward.map { ($0.offset, nil, $0.name) })]),
            tree([chain(outward.map { ($0.offset, nil, $0.name) })]),
        ] {
            let crash = try resolved(text, as: "crashDiagnostics").tree
            #expect(crash.form == .threads)
            #expect(crash.frames.map(\.imageName) == names)
            #expect(crash.frames.map(\.site?.lookupOffset.rawValue) == [64, 63, 63])
            let hang = try resolved(text, as: "hangDiagnostics").tree
            #expect(hang.form == .sampled)
            #expect(hang.frames.map(\.imageName) == names.reversed())
            #expect(hang.frames.map(\.site?.lookupOffset.rawValue) == [63, 63, 64])
            for tree in [crash, hang] { #expect(tree.frames.map(\.parent) == [nil, 0, 1]) }
        }
    }

    @Test("of a crash that branches results in a tree with weights, and of a linear one in stacks")
    func forms() throws {
        let branching = tree([frame(64, [frame(32), frame(48)])])
        #expect(try resolved(branching, as: "crashDiagnostics").tree.form == .sampled)
        #expect(try resolved(branching).tree.form == .sampled)
        #expect(try resolved(tree([frame(64, samples: 1)])).tree.form == .threads)
        let weighted = tree([frame(64, samples: 92)])
        #expect(try resolved(weighted).tree.form == .sampled)
        #expect(try resolved(weighted, as: "crashDiagnostics").tree.form == .threads)
    }
}

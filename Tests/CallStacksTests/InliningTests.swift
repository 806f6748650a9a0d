import CallStacks
import Testing

@Suite("Diagnostics without inlined calls")
struct InliningTests {
    /// Creates frames from their physical frame, the row above, and whether the call was inlined.
    private func diagnostic(
        _ rows: [(physical: Int, parent: Int?, isInlined: Bool)], _ form: CallStackTree.Form,
        stacks: [Range<Int>]
    ) -> SymbolicatedDiagnostic {
        let frames = rows.enumerated().map { index, row in
            var frame = SymbolicatedFrame(
                physical: row.physical, frame: CallFrame(image: nil, imageName: nil, site: nil),
                status: .symbolicated)
            frame.parent = row.parent
            frame.isInlined = row.isInlined
            frame.function = "f\(index)"
            return frame
        }
        return SymbolicatedDiagnostic(
            kind: .crash, details: DiagnosticDetails(), status: .symbolicated, culprit: "f0",
            fingerprint: "", form: form,
            stacks: stacks.enumerated().map {
                CallStack(index: $0, name: nil, isAttributed: $0 == 0, frames: $1)
            },
            frames: frames, images: [], remarks: [])
    }

    @Test("linear stacks keep their order, and the culprit is the function that owns the code")
    func threads() {
        var crash = diagnostic(
            [
                (0, nil, true), (0, 0, true), (0, 1, false), (1, 2, false), (2, nil, true),
                (2, 4, false),
            ],
            .threads, stacks: [0..<4, 4..<6])
        crash.culpritIndex = 0
        let plain = crash.withoutInlinedCalls()
        #expect(plain.frames.map(\.function) == ["f2", "f3", "f5"])
        #expect(plain.frames.map(\.parent) == [nil, 0, nil])
        #expect(plain.stacks.map(\.frames) == [0..<2, 2..<3])
        #expect(plain.culpritIndex == 0)
        #expect(plain.culprit == "f2")
    }

    @Test("trees keep their branches")
    func tree() {
        // Outermost first: a physical frame's own function, then the calls inlined into it.
        let hang = diagnostic(
            [
                (0, nil, false), (0, 0, true), (1, 1, false), (2, 1, false), (2, 3, true),
                (3, 4, false),
            ],
            .sampled, stacks: [0..<6])
        let plain = hang.withoutInlinedCalls()
        #expect(plain.frames.map(\.function) == ["f0", "f2", "f3", "f5"])
        #expect(plain.frames.map(\.parent) == [nil, 0, 0, 2])
        #expect(plain.stacks.map(\.frames) == [0..<4])
    }
}

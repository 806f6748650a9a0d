import CallStacks
import TestSupport
import Testing

@testable import StackRendering

@Suite("The text of an Apple report")
struct AppleCrashTextTests {
    @Test("has the layout of macOS for crashes on macOS")
    func mac() throws {
        try expectGolden(try AppleCrashText(of: Example.macCrash).text, "mac.crash")
    }

    @Test("has the layout of iOS for everything else")
    func embedded() throws {
        var crash = Example.macCrash
        crash.details.osVersion = "iPhone OS 18.5 (22F76)"
        crash.stacks[1].name = crash.stacks[1].queue
        try expectGolden(try AppleCrashText(of: crash).text, "embedded.crash")
    }

    @Test("omits facts that the report does not have")
    func nothing() throws {
        let diagnostic = SymbolicatedDiagnostic(
            kind: .crash, details: DiagnosticDetails(), status: .raw, culprit: nil, fingerprint: "",
            form: .threads, stacks: [], frames: [], images: [], remarks: [])
        #expect(try AppleCrashText(of: diagnostic).text == "Report Version:      104\n\n\nEOF\n")
    }

    @Test("is refused for sampled stacks and for frames without addresses")
    func refused() {
        #expect(throws: AppleCrashText.Refusal.sampled) { try AppleCrashText(of: Example.hang) }
        var crash = Example.crash
        for row in crash.frames.indices {
            crash.frames[row].address = nil
            crash.frames[row].loadAddress = nil
        }
        #expect(throws: AppleCrashText.Refusal.withoutAddresses) { try AppleCrashText(of: crash) }
    }
}

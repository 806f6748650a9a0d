import CallStacks
import TestSupport
import Testing

@testable import StackRendering

@Suite("The text of an Apple report")
struct CrashFormTests {
    @Test("has the layout of macOS for what comes from there")
    func mac() throws {
        try expectGolden(try CrashForm(of: Example.macCrash).text, "mac.crash")
    }

    @Test("has the layout of iOS for everything else")
    func embedded() throws {
        var crash = Example.macCrash
        crash.details.osVersion = "iPhone OS 18.5 (22F76)"
        crash.stacks[1].name = crash.stacks[1].queue
        try expectGolden(try CrashForm(of: crash).text, "embedded.crash")
    }

    @Test("leaves out what a report does not say")
    func nothing() throws {
        let diagnostic = SymbolicatedDiagnostic(
            kind: .crash, details: DiagnosticDetails(), status: .raw, culprit: nil, fingerprint: "",
            form: .threads, stacks: [], frames: [], images: [], remarks: [])
        #expect(try CrashForm(of: diagnostic).text == "Report Version:      104\n\n\nEOF\n")
    }

    @Test("is refused to stacks that were sampled, and to frames without addresses")
    func refused() {
        #expect(throws: CrashForm.Refusal.sampled) { try CrashForm(of: Example.hang) }
        var crash = Example.crash
        for row in crash.frames.indices {
            crash.frames[row].address = nil
            crash.frames[row].loadAddress = nil
        }
        #expect(throws: CrashForm.Refusal.withoutAddresses) { try CrashForm(of: crash) }
    }
}

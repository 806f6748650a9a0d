import Foundation
import TestSupport
import Testing

/// Reports that name system frames themselves, with a shared cache that lacks local symbols.
@Suite("The report's names of system frames on the command line", .ownThreads)
struct SystemNameTests {
    let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        for file in SharedCacheBuilder(.iOS26).files() where !file.name.hasSuffix(".symbols") {
            try workspace.file("Support/\(file.name)", Data(file.bytes))
        }
    }

    /// Reports with three frames 16, 20 and 24 bytes after the exported function `draw`. The names
    /// of the first two start 4 and 40 bytes before their frames; the third one is a return address
    /// at the start of a function.
    private static let reports = [
        Report(
            name: "report.crash",
            frame: "0   ViewKit   0x0000000180000410 -[Window resize] + 4\n",
            text: """
                Process:             Orchard [4711]
                Code Type:           ARM-64
                Exception Type:  EXC_BAD_ACCESS (SIGSEGV)

                Thread 0 Crashed:
                0   ViewKit   0x0000000180000410 -[Window resize] + 4
                1   ViewKit   0x0000000180000414 -[Window far] + 40
                2   ViewKit   0x0000000180000418 -[Window next] + 0

                Binary Images:
                0x180000000 - 0x180000fff ViewKit arm64e <a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1> /x/ViewKit

                """),
        Report(
            name: "report.ips",
            frame: #"{"imageOffset":1040,"symbol":"-[Window resize]","symbolLocation":4,"#
                + #""imageIndex":0}"#,
            text: """
                {"app_name":"Orchard","bug_type":"309","os_version":"iPhone OS 26.1 (23B85)"}
                {"faultingThread":0,"threads":[{"triggered":true,"frames":[
                {"imageOffset":1040,"symbol":"-[Window resize]","symbolLocation":4,"imageIndex":0},
                {"imageOffset":1044,"symbol":"-[Window far]","symbolLocation":40,"imageIndex":0},
                {"imageOffset":1048,"symbol":"-[Window next]","symbolLocation":0,"imageIndex":0}]}],
                "usedImages":[{"base":6442450944,"size":4096,"name":"ViewKit","arch":"arm64e",
                "uuid":"a1a1a1a1-a1a1-a1a1-a1a1-a1a1a1a1a1a1"}]}

                """),
        Report(
            name: "report.txt",
            frame: "9 -[Window resize]  (in ViewKit) + 4  [0x180000410]\n",
            text: """
                Analysis of sampling Orchard (pid 4711) every 1 millisecond
                Process:         Orchard [4711]
                Load Address:    0x100000000
                Code Type:       ARM64
                Report Version:  7
                ----

                Call graph:
                    9 Thread_1
                      9 -[Window next]  (in ViewKit) + 0  [0x180000418]
                        9 -[Window far]  (in ViewKit) + 40  [0x180000414]
                          9 -[Window resize]  (in ViewKit) + 4  [0x180000410]

                Binary Images:
                       0x180000000 -        0x180000fff  ViewKit (1) \
                <A1A1A1A1-A1A1-A1A1-A1A1-A1A1A1A1A1A1> /x/ViewKit

                """),
    ]

    struct Report: CustomTestStringConvertible {
        var name: String
        /// The text of the first frame, which stays.
        var frame: String
        var text: String

        var testDescription: String { name }
    }

    @Test("stay if they are nearer than an exported symbol, in every format", arguments: reports)
    func nearer(report: Report) throws {
        try workspace.file(report.name, text: report.text)
        let shown = try workspace.symbolist("symbolicate", report.name, "--symbols", "Support").text
        for function in ["-[Window resize] + 4", "draw + 20", "draw + 24"] {
            #expect(shown.contains(function), "\(function)")
        }
        let same = try workspace.symbolist(
            "symbolicate", report.name, "--format", "same", "--symbols", "Support"
        ).text
        #expect(report.text.contains(report.frame))
        #expect(same.contains(report.frame))
        #expect(same != report.text)
    }
}

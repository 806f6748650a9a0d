import CallStacks
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFixtures
import ReportFormats
import Testing

@Suite("Jetsam reports")
struct JetsamTests {
    private static let header =
        #"{"bug_type":"298","os_version":"iPhone OS 18.1 (22B83)","incident_id":"INCIDENT"}"# + "\n"
    private static let press = #"{"name":"Press","pid":6,"rpages":131072,"uuid":"\#(pressID)"}"#
    private static let orchard =
        #"{"name":"Orchard","pid":5,"rpages":100000,"reason":"per-process-limit","#
        + #""uuid":"\#(orchardID)"}"#
    private static let cider =
        #"{"name":"Cider","pid":7,"rpages":3,"reason":"vm-pageshortage"}"#
    private static let pressID = "4c4c4481-5555-3144-a199-bfceae3fe729"
    private static let orchardID = "5c4c4481-5555-3144-a199-bfceae3fe729"

    private static func body(_ processes: [String], pageSize: String = "16384") -> String {
        #"{"build":"iPhone OS 18.1 (22B83)","product":"iPhone15,2","largestProcess":"Press","#
            + #""date":"2026-11-20 08:31:06.12 +0000","memoryStatus":{"pageSize":\#(pageSize)},"#
            + #""processes":[\#(processes.joined(separator: ","))]}"#
    }

    private func diagnostic(_ text: String) throws -> Diagnostic {
        let file = CrashFileReader().read(bytes(text))
        #expect(file.unread.isEmpty && file.reports.map(\.format) == [.jetsam])
        return try #require(file.diagnostics.first)
    }

    @Test("the report is about the process that was ended, and names the largest one")
    func summary() throws {
        let text = Self.header + Self.body([Self.cider, Self.press, Self.orchard].reversed())
        let diagnostic = try diagnostic(text)
        #expect(diagnostic.kind == .memoryException)
        let details = diagnostic.details
        #expect(details.processName == "Orchard")
        #expect(details.terminationReason == "per-process-limit")
        #expect(details.measurement == "1.5 GiB (100000 pages)")
        #expect(
            details.fields[.terminationDescription] == """
                largest process: Press [6], 2.0 GiB (131072 pages)
                also ended: Cider [7], 48.0 KiB (3 pages), vm-pageshortage
                """)
        #expect(
            details.sections.map(\.lines) == [
                [
                    "Processes:",
                    "  Press [6], 2.0 GiB (131072 pages), \(Self.pressID.uppercased())",
                    "  Orchard [5], 1.5 GiB (100000 pages), \(Self.orchardID.uppercased()), per-process-limit",
                    "  Cider [7], 48.0 KiB (3 pages), vm-pageshortage",
                ]
            ])
        #expect(
            diagnostic.images == [
                ListedImage(id: ImageID(Self.orchardID), name: "Orchard"),
                ListedImage(id: ImageID(Self.pressID), name: "Press"),
            ])
    }

    @Test("if no process was ended, the report is about the largest one")
    func noReason() throws {
        let diagnostic = try diagnostic(Self.body([Self.press], pageSize: "null"))
        #expect(diagnostic.details.processName == "Press")
        #expect(diagnostic.details.terminationReason == nil)
        #expect(diagnostic.details.measurement == "131072 pages")
    }

    @Test(
        "an impossible size is shown in pages",
        arguments: ["18446744073709551615", "0", "-4"])
    func pageSize(text: String) throws {
        #expect(
            try diagnostic(Self.body([Self.press], pageSize: text)).details.measurement
                == "131072 pages")
    }

    @Test("what precedes damage is read, and a list without processes is named")
    func damage() throws {
        let text = Self.header + Self.body([Self.press, Self.orchard])
        let cut = try diagnostic(String(text.dropLast(20)))
        #expect(cut.remarks == [.jsonTruncated])
        #expect(cut.details.processName == "Orchard")
        let file = CrashFileReader().read(bytes(Self.body([])))
        #expect(file.reports.isEmpty)
        #expect(file.unread.first?.problem.description.contains("jetsam report") == true)
    }

    @Test("redacted processes are named as such")
    func redacted() {
        for list in [#""memoryStatus":{},"processes""#, #""processByPid""#] {
            let file = CrashFileReader().read(bytes("{\(list):\"redacted\"}"))
            let problem = file.unread.first?.problem.description
            #expect(problem?.contains("because they are redacted") == true)
        }
    }
}

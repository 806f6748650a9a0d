import CallStacks
import LogExtraction
import MetricKitPayloads
import ReportFormats
import Testing

@Suite("App Store Connect logs")
struct AppStoreConnectTests {
    private let tree = """
        [{"callStacks":[{"callStackRootFrames":[{"binaryName":"Orchard","binaryUUID":
        "4C4C4481-5555-3144-A199-BFCEAE3FE729","offsetIntoBinaryTextSegment":"0x4210",
        "address":"4372562448","rawFrame":"0   Orchard","symbolName":"press","lineNumber":""},
        {"binaryName":"Orchard","offsetIntoBinaryTextSegment":"12"}]}]}]
        """

    private func log(_ event: String) -> String {
        "{\"diagnosticMetaData\":{\"event\":\"\(event)\",\"buildVersion\":\"120\"},"
            + "\"callStackTree\":\(tree)}"
    }

    private func reports(_ text: String) -> [CrashReport] {
        CrashFileReader().read(Array(text.utf8)).reports
    }

    @Test("each log is a report, named after its signature")
    func several() {
        let reports = reports(
            """
            {"productData":[{"signatureId":"hang-1","diagnosticLogs":[\(log("hang")),\(log("disk writes"))]},
            {"diagnosticLogs":[\(log("launch"))]},{"signatureId":"none"}]}
            """)
        #expect(reports.map(\.format) == [.appStoreConnect, .appStoreConnect, .appStoreConnect])
        #expect(reports.map(\.label) == ["hang-1, log 1", "hang-1, log 2", "log 1"])
        #expect(
            reports.map { $0.resolved().kind } == [.hang, .diskWriteException, .appLaunch])
        #expect(reports.map { $0.resolved().details.appBuild } == ["120", "120", "120"])
    }

    private static func frame(_ offset: String) -> String {
        "{\"binaryName\":\"Orchard\",\"binaryUUID\":\"4C4C4481-5555-3144-A199-BFCEAE3FE729\","
            + "\"offsetIntoBinaryTextSegment\":\"\(offset)\"}"
    }

    @Test("a log of an unknown kind is a sample, which begins with the outermost call")
    func unknownKind() throws {
        let inner = Self.frame("12")
        let outer = Self.frame("0x4210").dropLast() + ",\"subFrames\":[\(inner)]}"
        let nested = "[{\"callStacks\":[{\"callStackRootFrames\":[\(outer)]}]}]"
        let log = "{\"diagnosticMetaData\":{\"event\":\"new\"},\"callStackTree\":\(nested)}"
        let report = try #require(
            reports("{\"productData\":[{\"diagnosticLogs\":[\(log)]}]}").first)
        #expect(report.resolved().tree.frames.map { $0.site?.offset.rawValue } == [12, 16_912])
        #expect(report.resolved().tree.remarks == [.orientationDefault])
    }

    @Test("a log exported by the Organizer is read")
    func organizer() throws {
        let report = try #require(reports(log("hang")).first)
        #expect(report.format == .appStoreConnect)
        let frames = report.resolved().tree.frames
        #expect(frames.map { $0.site?.offset.rawValue } == [16_912, 12])
        #expect(frames.map { $0.remarks.contains(.noUUID) } == [false, true])
        #expect(report.resolved().tree.reportedFunctions[0]?.map(\.name) == ["press"])
    }

    @Test("elements that are not diagnostics are listed as unread")
    func unread() {
        let file = CrashFileReader().read(
            Array("{\"productData\":[{\"diagnosticLogs\":[7]}]}".utf8))
        #expect(file.reports.isEmpty)
        #expect(file.unread.map(\.remark) == [.unknownShape])
    }
}

import CallStacks
import Foundation
import LogExtraction
import MetricKitPayloads
import Problems
import ReportFixtures
import ReportFormats
import Testing

@Suite("Stackshots")
struct StackshotTests {
    private static let app = "4c4c4481-5555-3144-a199-bfceae3fe729"
    private static let kernel = "5c4c4481-5555-3144-a199-bfceae3fe729"
    private static let header =
        #"{"bug_type":"288","os_version":"iPhone OS 18.1 (22B83)","incident_id":"INCIDENT"}"# + "\n"
    private static let body =
        #"{"build":"iPhone OS 18.1 (22B83)","product":"iPhone15,2","#
        + #""kernel":"Darwin Kernel Version 24.1.0: root:xnu/RELEASE_ARM64_T8120","#
        + #""date":"2026-11-20 08:31:06.12 +0000","reason":"keyboard chord","#
        + #""frontmostPids":[431],"binaryImages":[["\#(app)",4294967296,"P"],"#
        + #"["\#(kernel)",18446743936270598144,"T"],"#
        + #"["00000000-0000-0000-0000-000000000000",0,"A"]],"processByPid":{"#
        + #""1":{"pid":1,"procname":"launchd","threadById":{"9":{"id":9,"#
        + #""userFrames":[[0,4096]]}}},"#
        + #""431":{"pid":431,"procname":"Orchard","threadById":{"#
        + #""8001":{"id":8001,"name":"press","dispatch_queue_label":"orchard.queue","#
        + #""state":["TH_WAIT"],"kernelFrames":[[1,64],[1,128]],"#
        + #""userFrames":[[0,15156],[0,15224],[2,7],[9,8]]},"#
        + #""8002":{"id":8002,"dispatch_queue_label":"orchard.queue","userFrames":[]}}}}}"#

    private func read(_ text: String, _ filter: ProcessFilter = .target) -> CrashFile {
        CrashFileReader(processes: filter).read(bytes(text))
    }

    @Test("the process in front is read, with the threads and their frames in kernel and process")
    func front() throws {
        let file = read(Self.header + Self.body)
        #expect(file.unread.isEmpty)
        #expect(file.reports.map(\.format) == [.stackshot])
        #expect(file.reports.map(\.label) == ["Orchard [431]"])
        let diagnostic = try #require(file.diagnostics.first)
        #expect(diagnostic.remarks.isEmpty)
        let stacks = diagnostic.tree.stacks
        #expect(stacks.map(\.index) == [8001, 8002])
        #expect(stacks.map(\.name) == ["press", "orchard.queue"])
        #expect(stacks.map(\.frames) == [0..<6, 6..<6])
        #expect(
            diagnostic.tree.frames.map(\.site) == [
                .programCounter(ImageOffset(64)), .returnAddress(ImageOffset(128)),
                .programCounter(ImageOffset(15156)), .returnAddress(ImageOffset(15224)),
                .adjusted(ImageOffset(7)), .returnAddress(ImageOffset(8)),
            ])
        #expect(
            diagnostic.tree.frames.map(\.image) == [
                ImageID(Self.kernel), ImageID(Self.kernel), ImageID(Self.app), ImageID(Self.app),
                nil, nil,
            ])
        #expect(diagnostic.tree.frames[2].address == RuntimeAddress(4_294_982_452))
    }

    @Test("the details are those of the device")
    func details() throws {
        let diagnostic = try #require(read(Self.header + Self.body).diagnostics.first)
        let details = diagnostic.details
        #expect(details.processName == "Orchard")
        #expect(details.osVersion == "iPhone OS 18.1 (22B83)")
        #expect(details.deviceType == "iPhone15,2")
        #expect(details.architecture == "arm64")
        #expect(details.fields[.exceptionNote] == "keyboard chord")
        #expect(details.fields[.incident] == "INCIDENT")
        #expect(diagnostic.images.map(\.id) == [ImageID(Self.app), ImageID(Self.kernel)])
    }

    @Test("other processes are read if they are selected, or if none is in front")
    func selection() throws {
        let text = Self.header + Self.body
        #expect(read(text, .all).reports.map(\.label) == ["launchd [1]", "Orchard [431]"])
        #expect(read(text, .named(["launchd"])).reports.map(\.label) == ["launchd [1]"])
        let unknown = text.replacing(#""frontmostPids":[431]"#, with: #""frontmostPids":[7]"#)
        let file = read(unknown)
        #expect(file.reports.map(\.label) == ["launchd [1]", "Orchard [431]"])
        let ranges = file.reports.map(\.range)
        #expect(ranges.first?.lowerBound == Self.header.utf8.count)
        #expect(ranges.first?.upperBound == ranges.last?.lowerBound)
        #expect(ranges.last?.upperBound == unknown.utf8.count)
        let missing = read(text, .named(["Cider"])).unread.first?.problem.description
        #expect(
            missing == "has no process 'Cider': pass one of launchd [1], Orchard [431]")
    }

    @Test("a watchdog's report contains a stackshot, with or without the images")
    func watchdog() throws {
        let images = try #require(
            Self.body.firstMatch(of: #/"binaryImages":\[.*?\]\],/#)
        ).output
        let outside =
            #"{"bug_type":"409",\#(images)"stackshot":\#(Self.body.replacing(images, with: ""))}"#
        let inside = #"{"bug_type":"409"}"# + "\n" + #"{"stackshot":\#(Self.body)}"#
        for text in [outside, inside] {
            let diagnostic = try #require(read(text).diagnostics.first)
            #expect(diagnostic.images.map(\.id) == [ImageID(Self.app), ImageID(Self.kernel)])
        }
    }

    @Test("what precedes damage is read")
    func damage() throws {
        let text = Self.header + Self.body
        let cut = try #require(text.range(of: "[0,15224]"))
        let file = read(String(text[..<cut.lowerBound]) + "[0,152")
        let diagnostic = try #require(file.diagnostics.first)
        #expect(diagnostic.remarks == [.jsonTruncated])
        #expect(diagnostic.tree.frames.count == 3)
        #expect(read(#"{"processByPid":{}}"#).unread.count == 1)
    }
}

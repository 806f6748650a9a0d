import CallStacks
import EmbeddedDatabase
import Foundation
import TestSupport
import Testing

@testable import HTTPService
@testable import Ingest

@Suite("Pages of groups and flame graphs", .ownThreads)
struct GroupPageTests {
    /// Stores diagnostics of one entry, the first one oldest.
    private static func store(_ fingerprints: [String], in service: RunningService) async throws {
        _ = try await service.post("/v1/metrickit", fixture("divide-by-zero.crash.json"))
        let entry = try #require(try await service.entries().last)
        let diagnostics = fingerprints.enumerated().map { position, fingerprint in
            var diagnostic = DiagnosticRecord(
                uid: "u\(position)",
                address: RecordAddress(entry: entry.number, position: position),
                arrival: UnixTime(rawValue: 1_000 + Int64(position)), kind: .crash,
                status: .symbolicated, fingerprint: fingerprint)
            diagnostic.app = "shop"
            diagnostic.version = "1.\(position % 3)"
            diagnostic.culprit = "\(fingerprint)()"
            return diagnostic
        }
        try await service.database.commit(
            WorkerCommit(lastNumber: entry.number, diagnostics: diagnostics))
    }

    private static func links(_ page: Answer, _ pattern: Regex<(Substring, Substring)>) -> [String]
    {
        page.text.matches(of: pattern).map { String($0.output.1).replacing("&amp;", with: "&") }
    }

    private static func groups(_ page: Answer) -> [String] {
        links(page, /href="\/g\/([^"?]*)/)
    }

    private static func diagnostics(_ page: Answer) -> [String] {
        links(page, /href="\/d\/(u[0-9]*)"/)
    }

    private static func older(_ page: Answer) -> String? {
        links(page, /rel="next" href="([^"]*)"/).first
    }

    private static func newer(_ page: Answer) -> String? {
        links(page, /rel="prev" href="([^"]*)"/).first
    }

    @Test("menus lead to apps and versions whose names have control characters")
    func controls() async throws {
        try await RunningService.run { service in
            let report = String(
                decoding: try fixture("divide-by-zero.crash.json"), as: UTF8.self)
            let hostile = report.replacing("com.example.Orchard", with: #"a\u0001b"#)
                .replacing("\"1.4.0\"", with: #""1\u007f""#)
            _ = try await service.post("/v1/metrickit", Array(hostile.utf8))
            try await service.drain()
            let query = "app=a%EF%BF%BDb&version=1%EF%BF%BD"
            let list = try await service.open("/?\(query)")
            #expect(Self.groups(list).count == 1)
            #expect(list.text.contains("<option value=\"a\u{fffd}b\" selected>"))
            #expect(list.text.ranges(of: "<option value=\"1\u{fffd}\"").count == 1)
            let flame = try await service.open("/flame?\(query)")
            #expect(flame.text.contains("<option value=\"1\u{fffd}\" selected>"))
            let other = try await service.open("/?app=other%EF%BF%BD")
            #expect(Self.groups(other) == [])
        }
    }

    @Test("a group with a thousand newer diagnostics is found, page by page and back")
    func paging() async throws {
        try await RunningService.run { service in
            let singles = (0..<120).map { "f\($0)" }
            try await Self.store(
                ["rare"] + singles + Array(repeating: "common", count: 1_000), in: service)
            let first = try await service.open("/?app=shop&sort=last")
            #expect(Self.newer(first) == nil)
            var (pages, found) = ([first], Self.groups(first))
            while let next = Self.older(try #require(pages.last)) {
                #expect(next.contains("app=shop") && next.contains("sort=last"), "the filter stays")
                pages.append(try await service.open(next))
                found += Self.groups(try #require(pages.last))
            }
            #expect(found == ["common"] + singles.reversed() + ["rare"])
            #expect(pages.count == 3)
            var back = try #require(pages.last)
            for page in pages.dropLast().reversed() {
                back = try await service.open(try #require(Self.newer(back)))
                #expect(Self.groups(back) == Self.groups(page))
            }
            #expect(Self.newer(back) == nil)
            let version = try await service.open("/?app=shop&version=1.1&q=f1")
            #expect(Self.groups(version).allSatisfy { $0.hasPrefix("f1") })
            #expect(version.text.contains("1.1"))
            let refused = try await service.open("/?before=x")
            #expect(refused.status == 400 && refused.text.contains("is invalid"))
        }
    }

    @Test("a group shows its versions, its days and its diagnostics, page by page and back")
    func group() async throws {
        try await RunningService.run { service in
            try await Self.store(Array(repeating: "common", count: 120), in: service)
            let first = try await service.open("/g/common")
            #expect(first.text.contains("120 diagnostics"))
            #expect(first.text.contains("in the last 90 days"))
            #expect(first.text.contains("33.3 %"))
            let second = try await service.open(try #require(Self.older(first)))
            let third = try await service.open(try #require(Self.older(second)))
            let diagnostics = [first, second, third].flatMap(Self.diagnostics)
            #expect(diagnostics == (0..<120).reversed().map { "u\($0)" })
            #expect(Self.older(third) == nil)
            let back = try await service.open(try #require(Self.newer(third)))
            #expect(Self.diagnostics(back) == Self.diagnostics(second))
            let top = try await service.open(try #require(Self.newer(second)))
            #expect(Self.diagnostics(top) == Self.diagnostics(first))
            #expect(Self.newer(top) == nil && top.text.contains("in the last 90 days"))
        }
    }

    @Test("the group of a crash shows the newest stack, that of a hang all stacks as one picture")
    func stacks() async throws {
        try await RunningService.run { service in
            for file in [Orchard.dSYM, Orchard.kitDSYM] {
                _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(file))
            }
            _ = try await service.receiveCrash()
            var hang = String(decoding: try fixture("index-rebuild.hang.json"), as: UTF8.self)
            for second in ["00", "01"] {
                hang.replace(/09:00:0[0-9]/, with: "09:00:\(second)")
                _ = try await service.post("/v1/metrickit", Array(hang.utf8))
            }
            try await service.drain()
            let crashes = try await service.open("/?kind=crash")
            let crash = try await service.open("/g/\(try #require(Self.groups(crashes).first))")
            #expect(crash.text.contains("Thread 0 Crashed"))
            #expect(crash.text.contains("Harvest.swift</bdi>:31:11"))
            let hangs = try await service.open("/?kind=hang")
            let path = "/g/\(try #require(Self.groups(hangs).first))"
            let group = try await service.open(path)
            #expect(group.text.contains("Merged: 2 diagnostics"))
            #expect(group.text.contains("class=\"icicle\""))
            #expect(group.text.contains("<title>mix, com.example.Orchard 1.4.0 · "))
            let devices = try await service.open(path + "?by=devices")
            #expect(devices.text.contains("of devices"))
            try await Self.expectDownloads(of: group, service)
        }
    }

    /// Expects that a page offers its merged stacks as files.
    private static func expectDownloads(of page: Answer, _ service: RunningService) async throws {
        let links = links(page, /href="([^"]*download=[^"]*)"/)
        let files = [("txt", "rebuildIndex(rows:)"), ("speedscope.json", "$schema"), ("json", "{")]
        #expect(links.count == files.count)
        for (link, (ending, content)) in zip(links, files) {
            let file = try await service.open(link)
            let disposition = file.header("content-disposition") ?? ""
            #expect(disposition.hasPrefix("attachment; filename=\""), "\(link)")
            #expect(disposition.hasSuffix(".\(ending)\""), "\(link)")
            #expect(file.text.contains(content), "\(link)")
        }
    }

    @Test("the hangs of a version are one picture, which can be compared with another version's")
    func flame() async throws {
        try await RunningService.run { service in
            for file in [Orchard.dSYM, Orchard.kitDSYM] {
                _ = try await service.post("/v1/symbols?\(Orchard.build)", projectFile(file))
            }
            let hang = String(decoding: try fixture("index-rebuild.hang.json"), as: UTF8.self)
            for version in ["1.4.0", "1.5.0"] {
                let text = hang.replacing("1.4.0", with: version)
                _ = try await service.post("/v1/metrickit", Array(text.utf8))
            }
            try await service.drain()
            let empty = try await service.open("/flame")
            #expect(empty.text.contains("Choose an app and a version"))
            #expect(empty.text.contains("<option value=\"1.5.0\">"))
            let path = "/flame?app=com.example.Orchard&version=1.5.0"
            let one = try await service.open(path + "&q=mix")
            #expect(one.text.contains("Merged: 1 diagnostic."))
            #expect(one.text.contains("rebuildIndex(rows:)"))
            #expect(one.text.contains("1 frame, "))
            #expect(one.text.contains("name=\"version\" value=\"1.5.0\""), "the form keeps it")
            let both = try await service.open(path + "&against=1.4.0")
            #expect(both.text.ranges(of: "class=\"icicle\"").count == 2)
            #expect(both.text.contains("What changed"))
            let none = try await service.open(path + "&against=0.9")
            #expect(none.text.contains("There are no samples."))
            #expect(try await service.open(path + "&kind=crash").status == 400)
            try await Self.expectDownloads(of: one, service)
            let versions = try await service.open("/versions")
            #expect(versions.text.contains("compared with "))
        }
    }
}

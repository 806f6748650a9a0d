import Foundation
import TestSupport
import Testing

@testable import LogExtraction
@testable import ReportFormats

/// Lines that the prefilter rejects cannot begin a report.
@Suite("The sieve of lines")
struct LineSieveTests {
    private static let folders = [
        "Fixtures/Stacks", "Fixtures/Diagnostics", "Tests/ReportFormatsTests/Goldens",
        "Tests/RedactionTests/Goldens",
    ]

    private static func files() throws -> [URL] {
        try folders.flatMap { folder in
            let root = projectFolder.appendingPathComponent(folder)
            let found = FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil)
            return try #require(found).compactMap { $0 as? URL }.filter {
                ["txt", "crash", "ips", "json", "log"].contains($0.pathExtension)
            }
        }
    }

    @Test("admits every line of the fixtures that begins a report")
    func complete() throws {
        var count = 0
        for file in try Self.files() {
            let bytes = [UInt8](try Data(contentsOf: file))
            for line in bytes.split(separator: .newline) where line.count < 20_000 {
                guard BufferedFormat(startedBy: line, isFirst: false) != nil,
                    Self.containsReport(line)
                else { continue }
                count += 1
                #expect(
                    LinePrefilter.ofReports.admits(line),
                    "\(file.lastPathComponent): \(String(decoding: line.prefix(200), as: UTF8.self))"
                )
            }
        }
        #expect(count > 100)
    }

    /// Whether a line may contain a report. JSON lines are always buffered and passed on unchanged.
    private static func containsReport(_ line: ArraySlice<UInt8>) -> Bool {
        let first = line.first { !$0.isBlank }
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return true }
        return !CrashFileReader().read(Array(line)).reports.isEmpty
    }

    @Test("rejects ordinary lines, and finds the first line that it admits")
    func declined() {
        let ordinary =
            "2026-01-01T00:00:00Z INFO served /index.html in 3 ms\n{\"level\":\"info\"}\n\n"
        let bytes = Array((ordinary + "==1==ERROR: AddressSanitizer: x\nrest").utf8)
        #expect(LinePrefilter.ofReports.endOfDeclinedLines(bytes, from: 0) == ordinary.utf8.count)
        let plain = Array((ordinary + "half").utf8)
        #expect(LinePrefilter.ofReports.endOfDeclinedLines(plain, from: 0) == ordinary.utf8.count)
    }
}

import CallStacks
import LogExtraction
import Redaction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Stacks of Linux in the texts of JSON log records.
@Suite("Redaction of stacks in log records")
struct LoggedStackTests {
    private static let stack = [
        "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000",
        "    #0 0x55f41410c38a  (/home/jane/cellar+0x238a)",
        "    #1 0x55f41410c4c7  (/home/jane/cellar+0x24c7)",
        "SUMMARY: AddressSanitizer: SEGV (/home/jane/cellar+0x238a)",
    ].joined(separator: #"\n"#)

    @Test(
        "redacts every text with a stack, once", arguments: [RedactionLevel.standard, .strict])
    func texts(level: RedactionLevel) {
        let log =
            #"{"message":"it died:\n\#(Self.stack)","stack":"\#(Self.stack)"}"# + "\n"
            + #"{"message":"again","exception":{"stacktrace":"\#(Self.stack)"}}"# + "\n"
        let redacted = FileRedaction(level).redacted(
            bytes(log), readAs: CrashFileReader().read(bytes(log)))
        #expect(!redacted.text.contains("jane"), "\(redacted.text)")
        #expect(redacted.text.split(separator: "+0x238a").count == 7)
        let file = CrashFileReader().read(redacted)
        #expect(file.diagnostics.map(\.tree.frames.count) == [2, 2])
        #expect(FileRedaction(level).redacted(redacted, readAs: file) == redacted)
    }

    @Test("redacts the paths in what Valgrind and Boost print", arguments: RedactionTests.levels)
    func printed(level: RedactionLevel) {
        let log = """
            ==7==    at 0x109182: ??? (in /home/jane/cellar)
             0# 0x0000000000402418 in /home/jane/cellar

            """
        let redacted = FileRedaction(level).redacted(
            bytes(log), readAs: CrashFileReader().read(bytes(log)))
        #expect(!redacted.text.contains("jane"), "\(redacted.text)")
        let file = CrashFileReader().read(redacted)
        #expect(file.reports.map(\.format) == [.valgrind, .boostStacktrace])
    }
}

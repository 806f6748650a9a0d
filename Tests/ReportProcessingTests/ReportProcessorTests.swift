import CallStacks
import FlameGraphs
import Foundation
import LogExtraction
import ReportFormats
import ReportProcessing
import Symbolication
import TestSupport
import Testing

private struct NoSymbols: SymbolProvider {
    func symbols(for image: ImageID) async -> SymbolSupply { .missing }
}

@Suite("Report processing")
struct ReportProcessorTests {
    private let report = """
        Incident Identifier: 01234567-89AB-CDEF-0123-456789ABCDEF
        Process:             Shop [42]
        Path:                /Users/anna/Shop.app/Shop
        OS Version:          iPhone OS 18.1 (22B83)
        Report Version:      104

        Exception Type:  EXC_BREAKPOINT (SIGTRAP)

        Thread 0 Crashed:
        0   Shop                          \t0x0000000104a3113c checkout() + 44

        Binary Images:
        0x104a30000 - 0x104a3ffff Shop arm64  <1f2e3d4c5b6a7988a7b6c5d4e3f2011c> /Users/anna/Shop.app/Shop

        """

    private let sample = """
        Analysis of sampling Shop (pid 42) every 1 millisecond
        Call graph:
            3 Thread_1   DispatchQueue_1: /Users/anna
            + 3 checkout()  (in Shop) + 4  [0x104a30004]

        """

    private func process(
        _ bytes: [UInt8], as format: OutputFormat, redaction: RedactionLevel = .none
    ) async -> ProcessedFile {
        var processor = ReportProcessor(reader: CrashFileReader(), format: format)
        processor.redaction = redaction
        return await processor.process(processor.read(DecodedFile(bytes))) { report, _ in
            await Symbolicator(provider: NoSymbols()).symbolicate(report.resolved())
        }
    }

    private func bytes(of processed: ProcessedFile) throws -> [UInt8] {
        if let rewritten = processed.rewritten { return try rewritten.get() }
        switch try #require(processed.outputs.first).get() {
        case .document(let bytes): return bytes
        case .profile(let profile): return profile.bytes
        }
    }

    private static let profiles: [OutputFormat] = [.collapsed, .speedscope]

    private func report(for format: OutputFormat) -> [UInt8] {
        Array((Self.profiles.contains(format) ? sample : report).utf8)
    }

    @Test(
        "every format except same has an output for each report", arguments: OutputFormat.allCases)
    func formats(format: OutputFormat) async throws {
        let processed = await process(report(for: format), as: format)
        #expect(processed.source.content.reports.count == 1)
        let bytes = try bytes(of: processed)
        #expect((processed.rewritten == nil) == (format != .same))
        #expect(processed.outputs.count == (format == .same ? 0 : 1))
        #expect(String(decoding: bytes, as: UTF8.self).contains("checkout()"))
    }

    @Test("private values are redacted in every format", arguments: OutputFormat.allCases)
    func redaction(format: OutputFormat) async throws {
        let processed = await process(
            report(for: format), as: format, redaction: .standard)
        let bytes = try bytes(of: processed)
        #expect(!String(decoding: bytes, as: UTF8.self).contains("anna"))
    }

    /// A field of Protocol Buffers with a length.
    private func field(_ number: UInt8, _ content: [UInt8]) -> [UInt8] {
        [number << 3 | 2, UInt8(content.count)] + content
    }

    @Test(
        "the values of a binary report are redacted in every format that is text",
        arguments: OutputFormat.allCases, [RedactionLevel.standard, .strict])
    func binary(format: OutputFormat, level: RedactionLevel) async throws {
        let image = [0x08, 0x80, 0x20, 0x10, 0x80, 0x20] + field(3, Array("/Users/anna/Shop".utf8))
        let thread: [UInt8] = [0x08, 0] + field(2, [0x18, 0x90, 0x20]) + [0x18, 1]
        let exception =
            field(1, Array("Fell".utf8)) + field(2, Array("orchid of anna@example.com".utf8))
        let program = field(1, Array("Shop".utf8)) + field(3, Array("/Users/anna/Shop".utf8))
        let report =
            Array("plcrash\u{1}".utf8) + field(3, thread) + field(4, image)
            + field(5, exception) + field(7, program)
        let processed = await process(report, as: format, redaction: level)
        #expect(processed.source.content.reports.map(\.format) == [.plcrash])
        guard let bytes = try? bytes(of: processed) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(text.contains("Shop") && !text.contains("anna"), "\(text)")
        #expect(level == .standard || !text.contains("orchid"))
    }

    @Test("a file without changes is returned as received")
    func unchanged() async {
        let line = Array("no report\r\n".utf8)
        #expect(await process(line, as: .same).rewritten == .success(line))
    }

    @Test("a sampled report has no Apple crash text")
    func refusal() async throws {
        let processed = await process(Array(sample.utf8), as: .crash)
        #expect(processed.outputs.count == 1)
        #expect(processed.outputs.allSatisfy { (try? $0.get()) == nil })
    }

    @Test("a report without sampled stacks has no profile", arguments: profiles)
    func withoutSamples(format: OutputFormat) async throws {
        let processed = await process(Array(report.utf8), as: format)
        #expect(throws: RenderingRefusal.withoutSamples) {
            _ = try #require(processed.outputs.first).get()
        }
    }

    @Test("an archive that unpacks to more than the limit is refused")
    func limit() {
        let spaces = [UInt8](repeating: 0x20, count: 600)
        var zip = ZipBuilder()
        for name in ["a", "b"] { zip.add(name, spaces) }
        let archive = zip.bytes()
        let processor = ReportProcessor(reader: CrashFileReader(), format: .text)
        #expect(throws: ReportFinder.Failure.self) {
            try ReportFinder.files(
                in: archive, name: "body", byteLimit: 1_000, processor: processor)
        }
    }

    @Test("NAME=UUID supplies an identity, and ! overrides the one in the report")
    func identities() throws {
        let text = "Shop=1F2E3D4C-5B6A-7988-A7B6-C5D4E3F2011C"
        let given = try #require(SuppliedIdentity(text))
        #expect(given.name == "Shop" && !given.isOverride)
        #expect(SuppliedIdentity(text + "!")?.isOverride == true)
        #expect(SuppliedIdentity("=1F2E3D4C-5B6A-7988-A7B6-C5D4E3F2011C") == nil)
        #expect(SuppliedIdentity("Shop=1") == nil)
    }
}

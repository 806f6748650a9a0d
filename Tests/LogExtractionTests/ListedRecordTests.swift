import CallStacks
import JSONText
import LogExtraction
import ReportFixtures
import ReportFormats
import TestSupport
import Testing

/// Stacks in the elements of one JSON array.
@Suite("Stacks in the elements of an array")
struct ListedRecordTests {
    private static let stack = [
        "==1==ERROR: AddressSanitizer: SEGV on unknown address 0x000000000000",
        "    #0 0x55f41410c38a  (/src/cellar+0x238a)",
        "    #1 0x55f41410c4c7  (/src/cellar+0x24c7)",
        "SUMMARY: AddressSanitizer: SEGV (/src/cellar+0x238a)",
    ]

    /// The records as `gcloud logging read --format json` writes them.
    private static func logged(_ texts: [String]) -> String {
        let records = texts.map {
            "  {\n    \"insertId\": \"a1\",\n    \"textPayload\": \"\($0)\"\n  }"
        }
        return "[\n" + records.joined(separator: ",\n") + "\n]\n"
    }

    private static let logs = [
        logged(["ready"] + stack + ["bye"]), logged(["ready", stack.joined(separator: #"\n"#)]),
        logged(stack), logged(stack).replacing("\n", with: ""),
    ]

    private static let printed = """
        ["0   Orchard  0x0000000104a303e0 4C4C4481-5555-3144-A199-BFCEAE3FE729 + 17376", \
        "1   Orchard  0x0000000104a303f0 4C4C4481-5555-3144-A199-BFCEAE3FE729 + 17392"]
        """

    private func written(_ text: String) throws -> String {
        let report = try #require(CrashFileReader().read(Array(text.utf8)).reports.first)
        let result = report.resolved().symbolicated([
            0: [
                FoundFunction(name: "tapped", line: 19, isInlined: true),
                FoundFunction(name: "serve", distance: 8, line: 38),
            ], 1: [FoundFunction(name: "main", distance: 4, line: 114)],
        ])
        var budget = EditBudget(fileByteCount: text.utf8.count)
        let edits = report.edits(with: result, budget: &budget)
        return String(decoding: edits.applied(to: Array(text.utf8)), as: UTF8.self)
    }

    private func elements(_ text: String) throws -> [JSONValue] {
        let document = JSONDocument(Array(text.utf8))
        #expect(document.failure == nil)
        return Array(try #require(document.root).elements)
    }

    @Test("are read from the records of a log", arguments: logs)
    func records(log: String) throws {
        let file = CrashFileReader().read(Array(log.utf8))
        #expect(file.reports.map(\.format) == [.sanitizer])
        #expect(file.diagnostics.first?.tree.frames.count == 2)
        let once = try written(log)
        #expect(once.contains("#0 0x55f41410c38a in tapped "))
        #expect(once.contains("#2 0x55f41410c4c7 in main "))
        let isOneRecord = log == Self.logs[1]
        #expect(try elements(once).count == elements(log).count + (isOneRecord ? 0 : 1))
        #expect(try written(once) == once)
    }

    @Test("are read from the strings of a Swift array, with other text after it")
    func strings() throws {
        for end in ["", "\n", "\nready\n"] {
            let file = CrashFileReader().read(Array((Self.printed + end).utf8))
            #expect(file.reports.map(\.format) == [.standaloneFrames])
            let frames = file.diagnostics.first?.tree.frames ?? []
            #expect(frames.map(\.site?.offset.rawValue) == [17_376, 17_392])
        }
        let once = try written(Self.printed)
        #expect(try elements(once).count == 3)
        #expect(once.contains("serve"))
        #expect(try written(once) == once)
    }

    @Test("other arrays are not")
    func others() {
        for text in [#"["a", "b"]"#, #"[{"textPayload": "ready"}]"#, #"["0   Orchard  0x1"#] {
            #expect(CrashFileReader().read(Array(text.utf8)).reports.isEmpty)
        }
    }

    @Test("a long text between two elements is not repeated for lines that are added")
    func longSeparator() throws {
        let blanks = String(repeating: " ", count: 5_000)
        let text = Self.printed.replacing(", ", with: ",\(blanks)")
        let result = try written(text)
        #expect(try elements(result).count == 3)
        #expect(result.utf8.count < text.utf8.count + 1_000)
    }
}

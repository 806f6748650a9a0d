import Foundation
import TestSupport
import Testing

/// Errors that Valgrind finds in a program that is built and run here.
@Suite(
    "Errors found by Valgrind", .ownThreads,
    .enabled(
        if: FileManager.default.fileExists(atPath: "/usr/bin/valgrind"),
        "Valgrind is not installed"))
struct ValgrindTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// Returns the error of the stripped program, which is kept as `whole`.
    private func error(_ flags: [String], of accident: String) throws -> String {
        _ = try Cellar(workspace, flags)
        return try workspace.shell(
            "cp cellar whole && strip cellar; valgrind -q ./cellar \(accident) 2>&1 || true"
        ).text
    }

    @Test(
        "every frame is at the marked line, and a second pass changes nothing",
        arguments: [["-O0"], ["-O0", "-no-pie"]])
    func marked(flags: [String]) throws {
        let text = try error(flags, of: "spoil")
        let marks = try Cellar.lines()
        let whole = Cellar(
            built: workspace.folder.appendingPathComponent("whole").path, in: workspace)
        func same(_ text: String) throws -> Run {
            try workspace.symbolist(
                "symbolicate", "-", "--format", "same", "--symbols", whole.program, "--uuid",
                "cellar=\(try whole.buildID())", input: text)
        }
        let run = try same(text)
        let found = run.text.split(separator: "\n").compactMap { line in
            line.firstRange(of: "Cellar.cpp:").flatMap {
                Int(line[$0.upperBound...].prefix(while: \.isNumber))
            }
        }
        let expected = try [
            "tapped", "poured", "serve", "spoil-serve", "main-spoil", "spill", "spoil-spill",
            "main-spoil", "broach", "spoil-broach", "main-spoil",
        ].map { try #require(marks[$0]) }
        #expect(found == expected, "\(run.text)")
        #expect(try same(run.text).text == run.text)
    }

    @Test("every frame has the locations that llvm-symbolizer prints")
    func peer() throws {
        let text = try error(["-O0"], of: "spoil")
        let whole = Cellar(
            built: workspace.folder.appendingPathComponent("whole").path, in: workspace)
        let run = try workspace.symbolist(
            "symbolicate", "-", "--format", "same", "--symbols", whole.program, "--uuid",
            "cellar=\(try whole.buildID())", input: text)
        let rows = text.split(separator: "\n").filter { $0.hasSuffix("/cellar)") }
        #expect(!rows.isEmpty)
        for row in rows {
            let digits = try #require(row.firstRange(of: "0x")).upperBound
            let address = try #require(
                UInt64(row[digits...].prefix(while: \.isHexDigit), radix: 16))
            // Valgrind loads the program here, and prints addresses within the call.
            let offset = "0x" + String(address - 0x10_8000, radix: 16)
            for location in try whole.peerLocations(at: offset) {
                let name = location.split(separator: "/").last ?? ""
                let place = String(name.prefix { $0 != " " })
                #expect(run.text.contains(place), "\(place) in \(run.text)")
            }
        }
    }
}

import Foundation
import TestSupport
import Testing

private enum Perf {
    /// Whether events may be opened, which containers and some virtual machines refuse.
    static let canSample: Bool = {
        guard let workspace = try? Workspace() else { return false }
        let line = "perf record -e cpu-clock:u -o true.data true && perf script -i true.data"
        return (try? bash(line, in: workspace))?.status == 0
    }()

    /// Runs a command in Bash, which unblocks SIGCHLD. Threads of Dispatch block it, and child
    /// processes inherit that.
    static func bash(_ line: String, in workspace: Workspace) throws -> Run {
        try workspace.run(
            "/bin/bash", ["-c", line], input: "", environment: ["DEBUGINFOD_URLS": ""],
            in: workspace.folder)
    }
}

/// Samples of a program that is built and run here.
@Suite(
    "Samples of perf", .ownThreads,
    .enabled(if: Perf.canSample, "perf is not installed or may not open events"))
struct PerfTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// Returns the samples of the stripped program, which is kept as `whole`.
    private func record(_ cellar: Cellar) throws -> String {
        let run = try Perf.bash(
            "cp cellar whole && strip cellar"
                + " && perf record -e cpu-clock:u -F 200 -g -o perf.data ./cellar toast >&2"
                // The status is that of the program.
                + "; perf script --show-mmap-events -i perf.data", in: workspace)
        try #require(run.status == 0, "\(run.problems)")
        return run.text
    }

    private func symbolicated(_ text: String, _ format: String, id: String) throws -> Run {
        try workspace.symbolist(
            "symbolicate", "-", "--format", format, "--symbols",
            workspace.folder.appendingPathComponent("whole").path, "--uuid", "cellar=\(id)",
            input: text)
    }

    /// Returns the number of the line in `Cellar.cpp` that a location names.
    private func line(_ location: some StringProtocol) -> Int? {
        location.firstRange(of: "/Cellar.cpp:").flatMap {
            Int(location[$0.upperBound...].prefix(while: \.isNumber))
        }
    }

    /// Returns the load address of the program's code and its offset in the file.
    private func mapping(_ text: String) throws -> (start: UInt64, offset: UInt64) {
        let row = try #require(
            text.split(separator: "\n").first {
                $0.contains("PERF_RECORD_MMAP2") && $0.hasSuffix("/cellar")
            })
        func number(after mark: String) -> UInt64? {
            row.firstRange(of: mark).flatMap {
                UInt64(row[$0.upperBound...].prefix(while: \.isHexDigit), radix: 16)
            }
        }
        return (try #require(number(after: "[0x")), try #require(number(after: " @ 0x")))
    }

    /// Returns the lines that llvm-symbolizer prints for the program's frames in the samples.
    private func peerLines(_ text: String, of whole: Cellar) throws -> [Int] {
        let mapping = try mapping(text)
        var known: [UInt64: [Int]] = [:]
        var lines: [Int] = []
        var isFirst = true
        for row in text.split(separator: "\n", omittingEmptySubsequences: false) {
            guard row.hasPrefix("\t") else {
                isFirst = true
                continue
            }
            defer { isFirst = false }
            let word = row.drop { $0 == "\t" || $0 == " " }.prefix { $0 != " " }
            guard row.hasSuffix("/cellar)"), let value = UInt64(word, radix: 16) else { continue }
            let offset = value < mapping.start ? value : value - mapping.start + mapping.offset
            let lookupOffset = isFirst ? offset : offset - 1
            if known[lookupOffset] == nil {
                known[lookupOffset] = try whole.peerLocations(
                    at: "0x" + String(lookupOffset, radix: 16)
                )
                .compactMap { line($0) }
            }
            lines += known[lookupOffset] ?? []
        }
        return lines
    }

    @Test(
        "every frame of a sample is where llvm-symbolizer finds it, and a second pass changes nothing"
    )
    func samples() throws {
        let cellar = try Cellar(workspace, ["-O0"])
        let id = try cellar.buildID()
        let text = try record(cellar)
        let whole = workspace.folder.appendingPathComponent("whole").path
        let expected = try peerLines(text, of: Cellar(built: whole, in: workspace))
        let run = try symbolicated(text, "same", id: id)
        let found = run.text.split(separator: "\n").filter { $0.hasPrefix("  ") }
            .compactMap { line($0) }
        #expect(found == expected)
        let marks = try Cellar.lines()
        #expect(found.contains(try #require(marks["toast"])))
        #expect(found.contains(try #require(marks["main-toast"])))
        #expect(run.text.contains("cellar::toast(int)+0x"))
        #expect(try symbolicated(run.text, "same", id: id).text == run.text)
    }

    @Test("samples are not called crashes")
    func kind() throws {
        let cellar = try Cellar(workspace, ["-O0"])
        let id = try cellar.buildID()
        let text = try record(cellar)
        let shown = try symbolicated(text, "text", id: id)
        #expect(shown.text.contains("cellar::toast(int)"))
        #expect(!shown.text.contains("Crash"))
        let object = try symbolicated(text, "json", id: id).object()
        #expect(object["kind"] as? String == "unknown")
        let threads = try #require(object["threads"] as? [[String: Any]])
        #expect(threads.allSatisfy { $0["crashed"] as? Bool == false })
    }
}

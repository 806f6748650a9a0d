import Foundation
import TestSupport
import Testing

/// Stacks that name one program by several paths and no build ID.
@Suite("Programs with several paths", .ownThreads)
struct ProgramPathTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    /// Returns the stack of a program, which names itself as it was called.
    private func list(calling command: String) throws -> String {
        try workspace.shell("\(command) list 2>&1").text
    }

    private func symbolicated(_ text: String, _ format: String = "same") throws -> Run {
        try workspace.symbolist(
            "symbolicate", "-", "--format", format, input: text,
            environment: ["SYMBOLIST_DEBUG_FOLDERS": "/nowhere"])
    }

    private func count(of function: String, in run: Run) -> Int {
        run.text.split(separator: "\n").count { $0.contains("] \(function)") }
    }

    @Test("are one file if one of the paths leads to it, or both to the same")
    func samePath() throws {
        let cellar = try Cellar(workspace)
        let own = try list(calling: "./cellar")
        let text = try own + list(calling: cellar.program)
        #expect(text.contains("./cellar(+0x") && text.contains("\(cellar.program)(+0x"))
        let both = try symbolicated(text)
        #expect(count(of: "cellar::list(int)", in: both) == 6, "\(both.text)")
        #expect(try symbolicated(both.text).text == both.text)
        let moved = text.replacing("./cellar(", with: "/gone/cellar(")
        let one = try symbolicated(moved)
        #expect(count(of: "cellar::list(int)", in: one) == 6, "\(one.text)")
        #expect(try symbolicated(moved, "json").text.contains("identity_unchecked"))
    }

    @Test("are two files if another build is at the second path, each with its own functions")
    func twoFiles() throws {
        let cellar = try Cellar(workspace)
        let other = try Workspace(in: "other", of: workspace)
        let second = try Cellar(other, ["-O0"])
        let text = try list(calling: cellar.program) + list(calling: second.program)
        let run = try symbolicated(text)
        let lines = run.text.split(separator: "\n")
        let marks = try Cellar.lines()
        for program in [cellar.program, second.program] {
            let own = lines.filter { $0.hasPrefix(program + "(") }
            let deeper = try #require(marks["list-deeper"])
            #expect(own.count { $0.contains("Cellar.cpp:\(deeper)") } == 2, "\(run.text)")
        }
    }

    @Test("that lead to two files are not looked up where nothing distinguishes them")
    func contradiction() throws {
        let cellar = try Cellar(workspace)
        let other = try Workspace(in: "other", of: workspace)
        let second = try Cellar(other, ["-O0"])
        let frames = [cellar.program, second.program].enumerated().map { number, program in
            "    #\(number) fill \(program).cpp:60 (\(program)+0x1300)\n"
        }
        let text = "WARNING: ThreadSanitizer: data race (pid=443)\n" + frames.joined()
        #expect(try symbolicated(text).text == text)
        let json = try symbolicated(text, "json")
        #expect(json.text.contains("identity_contradicted"), "\(json.text)")
        #expect(try symbolicated(text).problems.contains { $0.contains("several files") })
    }
}

import CallStacks
import Foundation
import TestSupport
import Testing

/// A program built by the tests with given flags, and the stacks it prints.
struct Cellar {
    let workspace: Workspace
    let program: String

    static let source = projectFolder.appendingPathComponent("Fixtures/Sources/Linux/Cellar.cpp")

    /// - Parameter flags: Flags for g++, in addition to those for debug information.
    init(_ workspace: Workspace, _ flags: [String] = [], name: String = "cellar") throws {
        self.workspace = workspace
        program = workspace.folder.appendingPathComponent(name).path
        let build = try workspace.run(
            "/usr/bin/g++",
            ["-g", "-O1", "-fno-omit-frame-pointer", "-Wl,--build-id=sha1"] + flags
                + ["-o", program, Self.source.path, "-lpthread"],
            input: "", environment: [:], in: workspace.folder)
        #expect(build.status == 0, "\(build.problems)")
    }

    /// A program that was built by another compiler.
    init(built program: String, in workspace: Workspace) {
        self.workspace = workspace
        self.program = program
    }

    /// Returns the program's output for an accident, without functions and lines.
    func report(of accident: String) throws -> String {
        let off = "symbolize=0:color=never"
        // Load addresses make no difference here, and ThreadSanitizer needs fixed ones.
        let run = try workspace.run(
            "/usr/bin/setarch", ["-R", program, accident], input: "",
            environment: [
                "ASAN_OPTIONS": off, "LSAN_OPTIONS": off, "TSAN_OPTIONS": off,
                "UBSAN_OPTIONS": off + ":print_stacktrace=1",
            ], in: workspace.folder)
        return run.problems.joined(separator: "\n") + "\n"
    }

    /// The line numbers of the marks in the source.
    static func lines() throws -> [String: Int] {
        let text = try String(contentsOf: source, encoding: .utf8)
        var lines: [String: Int] = [:]
        for (number, line) in zip(
            1..., text.split(separator: "\n", omittingEmptySubsequences: false))
        {
            if let mark = line.firstRange(of: "// @") {
                lines[String(line[mark.upperBound...])] = number
            }
        }
        return lines
    }

    /// The build ID of the program.
    func buildID() throws -> String {
        let notes = try workspace.run(
            "/usr/bin/readelf", ["-n", program], input: "", environment: [:], in: workspace.folder)
        let line = notes.text.split(separator: "\n").first { $0.contains("Build ID: ") }
        return String(try #require(line?.split(separator: " ").last))
    }

    /// Returns the locations that `llvm-symbolizer` prints for a link address, innermost first.
    func peerLocations(at address: String) throws -> [String] {
        let run = try workspace.run(
            "/usr/bin/llvm-symbolizer-19",
            [
                "--obj=\(program)",
                "--output-style=GNU", "--functions=linkage", "--demangle", "--inlines", address,
            ], input: "", environment: [:], in: workspace.folder)
        let lines = run.text.split(separator: "\n").map(String.init)
        return stride(from: 1, to: lines.count, by: 2).map { lines[$0] }
    }
}

@Suite("Stacks of programs on Linux", .ownThreads)
struct LinuxStackTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func same(_ text: String, _ options: String...) throws -> Run {
        try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "same"] + options, input: text,
            environment: [:], in: workspace.folder)
    }

    /// An accident, and the marks of the program's lines in its stacks.
    struct Accident: Sendable, CustomTestStringConvertible {
        var flag: String
        var name: String
        var marks: [String]

        var testDescription: String { "\(flag) \(name)" }
    }

    static let accidents = [
        Accident(
            flag: "-fsanitize=address", name: "spoil",
            marks: [
                "tapped", "poured", "serve", "spoil-serve", "main-spoil", "spill", "spoil-spill",
                "main-spoil", "broach", "spoil-broach", "main-spoil",
            ]),
        Accident(
            flag: "-fsanitize=leak", name: "forget", marks: ["broach", "forget", "main-forget"]),
        Accident(
            flag: "-fsanitize=undefined", name: "overfill", marks: ["overfill", "main-overfill"]),
        Accident(
            flag: "-fsanitize=thread", name: "share",
            marks: ["fill", "share-main", "main-share", "fill", "share-thread", "main-share"]),
        Accident(
            flag: "-O1", name: "list",
            marks: ["print", "list-print", "list-deeper", "list-deeper", "main-list"]),
    ]

    /// Returns the source lines in a text, in order.
    private func lineNumbers(_ text: String) -> [Int] {
        text.split(separator: "\n").compactMap { line in
            guard line.contains("#") || line.contains("[0x"),
                let file = line.firstRange(of: "Cellar.cpp:")
            else { return nil }
            return Int(line[file.upperBound...].prefix { $0.isNumber })
        }
    }

    @Test(
        "every frame is at the marked line, and a second pass changes nothing",
        arguments: accidents)
    func marked(accident: Accident) throws {
        let cellar = try Cellar(workspace, [accident.flag])
        let report = try cellar.report(of: accident.name)
        let run = try same(
            "before\n\(report)after\n", "--symbols", cellar.program, "--uuid",
            "cellar=\(try cellar.buildID())")
        let marks = try Cellar.lines()
        let expected = try accident.marks.map { try #require(marks[$0], "\($0)") }
        let found = lineNumbers(run.text)
        // Library frames that join threads are between those of the program.
        #expect(expected.allSatisfy(found.contains), "\(run.text)")
        if accident.name != "share" { #expect(found == expected, "\(run.text)") }
        #expect(run.text.hasPrefix("before\n") && run.text.hasSuffix("after\n"))
        let again = try same(
            run.text, "--symbols", cellar.program, "--uuid", "cellar=\(try cellar.buildID())")
        #expect(again.text == run.text)
    }

    @Test("every frame has the locations that llvm-symbolizer prints", arguments: accidents)
    func peer(accident: Accident) throws {
        let cellar = try Cellar(workspace, [accident.flag])
        let report = try cellar.report(of: accident.name)
        let run = try same(
            report, "--symbols", cellar.program, "--uuid", "cellar=\(try cellar.buildID())")
        var expected: [String] = []
        for line in report.split(separator: "\n") where line.contains("cellar") {
            guard line.contains("#") || line.contains("[0x"),
                let plus = line.firstRange(of: "+0x")
            else { continue }
            let digits = line[plus.upperBound...].prefix(while: \.isHexDigit)
            let offset = try #require(UInt64(digits, radix: 16))
            // glibc prints return addresses, sanitizers addresses inside the call.
            let address = accident.name == "list" ? offset - 1 : offset
            expected += try cellar.peerLocations(at: "0x" + String(address, radix: 16))
                .filter { $0.contains("Cellar.cpp") }
                .map { String($0.split(separator: "/").last ?? "") }
        }
        #expect(!expected.isEmpty)
        for place in expected {
            let row = try #require(place.split(separator: " ").first)
            #expect(run.text.contains(row), "\(place) in \(run.text)")
        }
    }

    @Test(
        "a program with a fixed address resolves by link addresses",
        arguments: ["list", "burst"])
    func fixed(accident: String) throws {
        let flags =
            accident == "list" ? ["-no-pie", "-rdynamic"] : ["-no-pie", "-fsanitize=address"]
        let cellar = try Cellar(workspace, flags)
        let run = try same(
            try cellar.report(of: accident), "--symbols", cellar.program, "--uuid",
            "cellar=\(try cellar.buildID())")
        let marks = try Cellar.lines()
        #expect(
            lineNumbers(run.text).contains(try #require(marks["main-" + accident])), "\(run.text)")
    }

    @Test("the file at a path in the report is used, with a message that its build is unchecked")
    func byPath() throws {
        let cellar = try Cellar(workspace)
        let report = try cellar.report(of: "list")
        let run = try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "same"], input: report,
            environment: ["SYMBOLIST_DEBUG_FOLDERS": "/nowhere"], in: workspace.folder)
        #expect(lineNumbers(run.text).contains(try #require(try Cellar.lines()["print"])))
        #expect(
            run.problems.contains {
                $0.hasPrefix("standard input: has no build ID for '\(cellar.program)', ")
            }, "\(run.problems)")
        let json = try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "json"], input: report,
            environment: ["SYMBOLIST_DEBUG_FOLDERS": "/nowhere"], in: workspace.folder)
        #expect(json.text.contains("identity_unchecked"))
        let none = try same(report)
        #expect(none.text == report)
    }

    @Test("a file without a build id at the path in the report is used, and has no identity")
    func withoutIdentity() throws {
        let cellar = try Cellar(workspace, ["-Wl,--build-id=none"])
        let report = try cellar.report(of: "list")
        let environment = ["SYMBOLIST_DEBUG_FOLDERS": "/nowhere"]
        let same = try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "same"], input: report,
            environment: environment, in: workspace.folder)
        #expect(lineNumbers(same.text).contains(try #require(try Cellar.lines()["print"])))
        #expect(
            same.problems.contains {
                $0.hasPrefix("standard input: has no build ID for '\(cellar.program)', and neither")
            }, "\(same.problems)")
        let json = try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "json"], input: report,
            environment: environment, in: workspace.folder)
        let frames = try #require(
            (try json.object()["threads"] as? [[String: Any]])?.first?["frames"]
                as? [[String: Any]])
        let own = frames.filter { $0["image"] as? String == "cellar" }
        #expect(own.contains { $0["status"] as? String == "symbolicated" })
        #expect(own.allSatisfy { $0["uuid"] is NSNull })
    }

    /// The output of systemd for a core dump, with the offsets that the program printed.
    private func coreDump(_ cellar: Cellar, _ report: String, id: String) throws -> String {
        let frames = report.split(separator: "\n").filter { $0.hasPrefix(cellar.program) }
        let lines = try frames.enumerated().map { number, line in
            let plus = try #require(line.firstRange(of: "+0x"))
            let digits = line[plus.upperBound...].prefix(while: \.isHexDigit)
            let address = try #require(line.split(separator: "[").last).dropLast()
            return "                #\(number)  0x\(address.dropFirst(2).leftPadded(16)) n/a"
                + " (cellar + 0x\(digits))"
        }
        return """
                       PID: 4711 (cellar)
                    Signal: 6 (ABRT)
                Executable: \(cellar.program)
                   Message: Process 4711 (cellar) of user 1000 dumped core.

                            Module \(cellar.program) with build-id \(id)
                            Stack trace of thread 4711:
            \(lines.joined(separator: "\n"))
                            ELF object binary architecture: AMD x86-64

            """
    }

    @Test("a core dump finds the file at its path by the build id, and no file of another build")
    func coreDump() throws {
        let cellar = try Cellar(workspace)
        let report = try cellar.report(of: "list")
        let environment = ["SYMBOLIST_DEBUG_FOLDERS": "/nowhere"]
        let right = try coreDump(cellar, report, id: try cellar.buildID())
        let run = try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "same"], input: right,
            environment: environment, in: workspace.folder)
        #expect(
            lineNumbers(run.text).contains(try #require(try Cellar.lines()["list-deeper"])),
            "\(run.text)")
        #expect(!run.problems.contains { $0.contains("has no build ID") })
        let other = try coreDump(cellar, report, id: String(repeating: "ab", count: 20))
        let wrong = try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "same"], input: other,
            environment: environment, in: workspace.folder)
        #expect(wrong.text == other)
    }

    @Test(
        "debug files installed by packages are found by build id and by debug link")
    func installed() throws {
        let cellar = try Cellar(workspace)
        let id = try cellar.buildID()
        let report = try cellar.report(of: "list")
        let tree = "debug/.build-id/\(id.prefix(2))/\(id.dropFirst(2)).debug"
        let linked = "linked\(workspace.folder.path)/cellar.debug"
        for place in [tree, linked] { try workspace.file(place, text: "") }
        _ = try workspace.shell(
            "objcopy --only-keep-debug cellar \(tree) && cp \(tree) \(linked) && strip cellar"
                + " && objcopy --add-gnu-debuglink=\(linked) cellar")
        let text = try coreDump(cellar, report, id: id)
        let expected = try #require(try Cellar.lines()["list-deeper"])
        for folder in ["debug", "linked"] {
            let run = try workspace.run(
                executable.path, ["symbolicate", "-", "--format", "same"], input: text,
                environment: [
                    "SYMBOLIST_DEBUG_FOLDERS": workspace.folder.appendingPathComponent(folder).path
                ], in: workspace.folder)
            #expect(lineNumbers(run.text).contains(expected), "\(folder): \(run.text)")
        }
    }

    @Test(
        "gdb's frames without names are resolved by the mappings",
        .enabled(if: FileManager.default.fileExists(atPath: "/usr/bin/gdb")))
    func debugger() throws {
        let cellar = try Cellar(workspace)
        let id = try cellar.buildID()
        _ = try workspace.shell("cp cellar whole && strip cellar")
        // Threads of Dispatch block SIGCHLD, child processes inherit that, and gdb waits for it.
        // Bash unblocks it.
        let gdb = try workspace.run(
            "/bin/bash",
            [
                "-c",
                "exec gdb -q -batch -ex run -ex bt -ex 'info proc mappings'"
                    + " --args \(cellar.program) burst",
            ],
            input: "", environment: ["DEBUGINFOD_URLS": ""], in: workspace.folder)
        #expect(gdb.text.contains("in ?? ()"), "\(gdb.text)")
        let whole = workspace.folder.appendingPathComponent("whole").path
        let run = try same(gdb.text, "--symbols", whole, "--uuid", "cellar=\(id)")
        let marks = try Cellar.lines()
        let expected = try ["poured", "burst", "main-burst"].map { try #require(marks[$0]) }
        #expect(lineNumbers(run.text) == expected, "\(run.text)")
        let again = try same(run.text, "--symbols", whole, "--uuid", "cellar=\(id)")
        #expect(again.text == run.text)
    }
}

extension StringProtocol {
    fileprivate func leftPadded(_ count: Int) -> String {
        String(repeating: "0", count: Swift.max(0, count - self.count)) + self
    }
}

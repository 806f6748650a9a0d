import Foundation
import TestSupport
import Testing

/// Options of `symbolicate` and other compilers, on programs that are built and run here.
@Suite("Stacks of programs on Linux, with options", .ownThreads)
struct LinuxStackOptionTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    private func same(_ text: String, _ options: [String]) throws -> Run {
        try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "same"] + options, input: text,
            environment: [:], in: workspace.folder)
    }

    @Test(
        "names of users are redacted, and the file at the path of the report is still used",
        arguments: ["default", "strict"])
    func redacted(level: String) throws {
        let home = try Workspace(in: "home/jane", of: workspace)
        let cellar = try Cellar(home)
        let report = try cellar.report(of: "list")
        let run = try workspace.run(
            executable.path, ["symbolicate", "-", "--format", "same", "--redact", level],
            input: report, environment: ["SYMBOLIST_DEBUG_FOLDERS": "/nowhere"],
            in: workspace.folder)
        #expect(report.contains("/home/jane/"))
        #expect(!run.text.contains("jane"))
        #expect(run.text.contains("cellar::print()"), "\(run.text)")
    }

    @Test("redacting a binary .plcrash file in its own format is an error")
    func plcrash() throws {
        let name = Array("/home/jane/App".utf8)
        let image: [UInt8] =
            [0x08, 0x80, 0x20, 0x10, 0x80, 0x20, 0x1a, UInt8(name.count)] + name
        let thread: [UInt8] = [0x08, 0, 0x12, 0x03, 0x18, 0x90, 0x20, 0x18, 1]
        let bytes =
            Array("plcrash".utf8) + [1, 0x1a, UInt8(thread.count)] + thread
            + [0x22, UInt8(image.count)] + image
        let file = try workspace.file("a.plcrash", Data(bytes))
        let run = try workspace.symbolist(
            "symbolicate", file, "--format", "same", "--redact", "default")
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(
            run.problems.contains(
                "\(file): a binary .plcrash file cannot be redacted: use another format"),
            "\(run.problems)")
        let json = try workspace.symbolist(
            "symbolicate", file, "--format", "json", "--redact", "default")
        #expect(json.status == 0 && json.text.contains("App") && !json.text.contains("jane"))
    }

    /// The toolchain of Swift has no runtime of ThreadSanitizer for programs without Dispatch.
    private static let accidents = LinuxStackTests.accidents.filter {
        $0.flag.hasPrefix("-fsanitize") && $0.name != "share"
    }

    @Test("clang's runtimes print stacks that are found by build id", arguments: accidents)
    func clang(accident: LinuxStackTests.Accident) throws {
        let program = workspace.folder.appendingPathComponent("cellar").path
        let build = try workspace.shell(
            "clang++ -g -O1 -fno-omit-frame-pointer -Wl,--build-id=sha1 \(accident.flag)"
                + " -o cellar '\(Cellar.source.path)' -lpthread")
        try #require(build.status == 0, "\(build.problems)")
        let report = try Cellar(built: program, in: workspace).report(of: accident.name)
        #expect(report.contains("BuildId: "), "\(report)")
        let run = try same(report, ["--symbols", program])
        let marks = try Cellar.lines()
        // The compilers inline differently, but the calls that are marked stay.
        for mark in accident.marks where mark.contains("-") {
            let line = try #require(marks[mark])
            #expect(run.text.contains("Cellar.cpp:\(line)"), "\(mark): \(run.text)")
        }
        #expect(try same(run.text, ["--symbols", program]).text == run.text)
    }

    @Test("Swift's programs with a sanitizer are found by build id")
    func swift() throws {
        try workspace.file(
            "main.swift",
            text: """
                @inline(never) func spill(_ cask: UnsafeMutablePointer<Int>) -> Int {
                    cask.deallocate()
                    return cask.pointee
                }
                print(spill(.allocate(capacity: 1)))
                """)
        let build = try workspace.shell(
            "swiftc -g -O -sanitize=address -Xlinker --build-id=sha1 -o cask main.swift")
        try #require(build.status == 0, "\(build.problems)")
        let report = try workspace.shell(
            "ASAN_OPTIONS=symbolize=0:detect_leaks=0 ./cask 2>&1 || true")
        let program = workspace.folder.appendingPathComponent("cask").path
        let run = try same(report.text, ["--symbols", program])
        #expect(run.text.contains("in spill(_:) "), "\(run.text)")
        #expect(run.text.contains("main.swift:3"), "\(run.text)")
        #expect(try same(run.text, ["--symbols", program]).text == run.text)
    }

    @Test("lines of a log pass through in memory that does not grow with the log")
    func constantMemory() throws {
        try workspace.file(
            "peak.py",
            text: """
                import resource, subprocess, sys
                line = b"2026-01-01T00:00:00Z INFO served /index.html in 3 ms to 10.0.0.1\\n"
                run = subprocess.Popen(
                    [sys.argv[1], "symbolicate", "-", "--format", "same"],
                    stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                for _ in range(int(sys.argv[2])):
                    run.stdin.write(line * 1000)
                run.stdin.close()
                run.wait()
                print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
                """)
        func peakKilobytes(_ blocks: Int) throws -> Int {
            let run = try workspace.shell("python3 peak.py '\(executable.path)' \(blocks)")
            return try #require(
                Int(run.text.trimmingCharacters(in: .whitespacesAndNewlines)), "\(run.problems)")
        }
        let (small, large) = (try peakKilobytes(20), try peakKilobytes(400))
        // 25 MB more pass through.
        #expect(large < small + 8_192, "\(small) KB, then \(large) KB")
    }
}

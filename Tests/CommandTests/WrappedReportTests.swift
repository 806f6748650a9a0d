import Foundation
import TestSupport
import Testing

/// `symbolist symbolicate` with reports in archives and folders, compressed, and in UTF-16.
@Suite("symbolicate, wrapped reports", .ownThreads)
struct WrappedReportTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)

    init() throws { workspace = try Workspace() }

    /// Two reports, and files that are not reports.
    private func makeFolder(_ name: String = "crashes") throws {
        try workspace.copy(Orchard.crash, to: "\(name)/a.json")
        try workspace.file("\(name)/sub/b.crash", text: SameFormTests.crash)
        try workspace.file("\(name)/notes.txt", text: "hello\n")
        try workspace.file("\(name)/broken.plist", text: "{ old = plist; }\n")
        try workspace.file("\(name)/image.png", Data([0x89, 0x50, 0x4e, 0x47, 0]))
        try workspace.file("\(name)/.hidden/c.crash", text: SameFormTests.crash)
        try workspace.file("\(name)/Orchard.dSYM/d.crash", text: SameFormTests.crash)
    }

    private func symbolicate(_ arguments: String...) throws -> Run {
        try workspace.run(
            executable.path, ["symbolicate", "--symbols", symbols] + arguments, input: "",
            environment: [:], in: workspace.folder)
    }

    private func headings(_ run: Run) -> [String] {
        run.text.split(separator: "\n").filter { $0.hasPrefix("==> ") }.map(String.init)
    }

    private static let packings = [
        "zip -qr ../x .", "tar -cf ../x *", "tar -czf ../x *", "tar -cJf ../x *",
        "tar --zstd -cf ../x *",
    ]

    @Test("an archive is processed file by file, as a path or piped", arguments: packings)
    func archives(packing: String) throws {
        try makeFolder()
        #expect(
            try workspace.shell("cd crashes && \(packing); cd ..; mv x.zip x; exit 0").status == 0)
        let file = try symbolicate("x")
        let piped = try workspace.shell(
            "symbolist symbolicate --symbols \"$S\" < x", environment: ["S": symbols])
        for (run, name) in [(file, "x"), (piped, "standard input")] {
            #expect(
                headings(run).sorted() == ["==> \(name)/a.json <==", "==> \(name)/sub/b.crash <=="])
            #expect(run.text.contains("pick(_:in:) + 36"))
            #expect(run.problems.first?.hasPrefix("\(name): ") == true)
            #expect(
                run.problems.first?.hasSuffix(" files without a report were skipped") == true)
            #expect(run.problems.last == "2 files, 2 reports: 2 symbolicated")
            #expect(run.problems.count == 2)
            #expect(run.status == 0)
        }
        let json = try symbolicate("x", "--format", "json")
        #expect(try (json.json() as? [Any])?.count == 2)
        let left = try FileManager.default.contentsOfDirectory(atPath: workspace.folder.path)
        #expect(left.filter { !$0.contains("-") }.sorted() == ["cache", "crashes", "x"])
    }

    @Test("a folder and archives in it are searched for reports")
    func folder() throws {
        try makeFolder()
        #expect(try workspace.shell("cd crashes && zip -q z.zip sub/b.crash notes.txt").status == 0)
        let run = try symbolicate("crashes/")
        #expect(
            headings(run) == [
                "==> crashes/a.json <==", "==> crashes/sub/b.crash <==",
                "==> crashes/z.zip/sub/b.crash <==",
            ])
        #expect(
            run.problems == [
                "crashes: 4 files without a report were skipped",
                "3 files, 3 reports: 3 symbolicated",
            ])
        #expect(run.status == 0)
    }

    @Test("a crash point is read without the reports that Xcode symbolicated")
    func crashPoint() throws {
        let logs = "d/p.xccrashpoint/Filters/F/Logs"
        try workspace.file("\(logs)/a.crash", text: SameFormTests.crash)
        try workspace.file("\(logs)/LocallySymbolicated/a.crash", text: SameFormTests.crash)
        try workspace.file("d/p.xccrashpoint/Info.json", text: "{}")
        for path in ["d/p.xccrashpoint", "d"] {
            let run = try symbolicate(path)
            #expect(headings(run).count == 1)
            #expect(headings(run).first?.hasSuffix("/Filters/F/Logs/a.crash <==") == true)
        }
    }

    @Test("--format same writes a file per report, or the only report to the output")
    func same() throws {
        try makeFolder()
        #expect(
            try workspace.shell(
                "cd crashes && zip -qr ../x.zip . && zip -q ../one.zip sub/b.crash notes.txt"
            ).status == 0)
        let crash = try symbolicate("crashes/sub/b.crash", "--format", "same")
        #expect(crash.text.contains("pick(_:in:) + 36"))
        #expect(try symbolicate("one.zip", "--format", "same").output == crash.output)
        let several = try symbolicate("x.zip", "--format", "same")
        #expect(several.output.isEmpty)
        #expect(several.status == 1)
        #expect(
            several.problems.contains(
                "x.zip: contains 2 reports: set -o to a folder to write each of them"))
        #expect(try symbolicate("x.zip", "--format", "same", "-o", "out").status == 0)
        #expect(try symbolicate("x.zip", "crashes", "--format", "same", "-o", "both").status == 0)
        for file in ["out", "both/x.zip", "both/crashes"] {
            let written = workspace.folder.appendingPathComponent("\(file)/sub/b.crash")
            #expect(try Data(contentsOf: written) == crash.output)
        }
        let piped = try workspace.shell(
            "symbolist symbolicate --symbols \"$S\" --format same -o piped < x.zip",
            environment: ["S": symbols])
        #expect(piped.status == 0)
        for folder in ["out", "piped"] {
            #expect(
                try FileManager.default.subpathsOfDirectory(
                    atPath: workspace.folder.appendingPathComponent(folder).path
                ).sorted() == ["a.json", "sub", "sub/b.crash"])
        }
    }

    @Test("paths outside the archive are not written, and a repeated name is an error")
    func names() throws {
        var tar = TarBuilder()
        for name in ["../out.crash", "a.crash", "a.crash", "b/a.crash", "b/a.crash"] {
            tar.add(name, Array(SameFormTests.crash.utf8))
        }
        try workspace.file("x.tar", Data(tar.bytes()))
        let run = try symbolicate("x.tar", "--format", "same", "-o", "out")
        #expect(run.status == 1)
        try #require(run.problems.count == 4)
        #expect(run.problems[0].hasPrefix("x.tar/../out.crash: name points outside the archive: "))
        #expect(
            run.problems[2].hasPrefix("x.tar/b/a.crash: has the same name as another file: "))
        #expect(
            run.problems[1].hasPrefix("x.tar/a.crash: has the same name as another file: "))
        #expect(
            try FileManager.default.subpathsOfDirectory(atPath: workspace.folder.path)
                .filter { $0.hasSuffix(".crash") }.sorted() == ["out/a.crash", "out/b/a.crash"])
    }

    @Test("nothing found in an archive or a folder ends with 3, but not on standard input")
    func nothingFound() throws {
        try workspace.file("d/notes.txt", text: "hello\n")
        try workspace.file("App.dSYM/x", text: "x")
        #expect(try workspace.shell("zip -qr x.zip d; mkdir e").status == 0)
        for (path, problem) in [
            ("x.zip", "no crash or hang report in 1 file: use "), ("e", "is empty: use "),
            ("App.dSYM/", "contains symbols, not a report: use it with --symbols"),
        ] {
            let run = try symbolicate(path, "--format", "same")
            #expect(run.status == 3)
            #expect(run.output.isEmpty)
            let name = path == "App.dSYM/" ? "App.dSYM" : path
            #expect(run.problems.first?.hasPrefix("\(name): \(problem)") == true)
        }
        #expect(try workspace.shell("symbolist symbolicate < x.zip").status == 0)
    }

    @Test("an unsupported report is named in an archive too")
    func refused() throws {
        var zip = ZipBuilder()
        zip.add("a.plcrash", Array("plcrash\u{1}\u{0}".utf8))
        zip.add("b.clsrecord", Array(#"{"load":{"path":"/A"}}"#.utf8))
        zip.add("c.plist", Array("bplist00".utf8))
        try workspace.file("x.zip", Data(zip.bytes()))
        let run = try symbolicate("x.zip")
        #expect(run.status == 3)
        try #require(run.problems.count == 4)
        #expect(run.problems[0].hasPrefix("x.zip/a.plcrash: is a corrupt or truncated PLCrash"))
        #expect(
            run.problems[1] == "x.zip/b.clsrecord: Crashlytics record: is not supported: "
                + "pass the .ips or MetricKit report of the same crash")
        #expect(run.problems[2] == "x.zip: 1 file without a report was skipped")
        try workspace.file("panic.ips", text: "panic(cpu 0 caller 0x1): x\n")
        let panic = try symbolicate("panic.ips")
        #expect(
            panic.problems == [
                "panic.ips: kernel panic: kernel stacks are not supported: "
                    + "use Apple's Kernel Debug Kit"
            ])
    }

    @Test("the rest of a truncated file is read", arguments: ["gzip -c", "zstd -qc"])
    func cut(tool: String) throws {
        // Noise, so that a zstd block ends before the cut.
        var numbers = SplitMix64(seed: 1)
        let noise = (0..<250_000).map { _ in
            Character(Unicode.Scalar(UInt8.random(in: 35...90, using: &numbers)))
        }
        let text = SameFormTests.crash + String(noise) + "\n"
        try workspace.file("x", text: text)
        #expect(try workspace.shell("\(tool) x > y; head -c 180000 y > cut").status == 0)
        let run = try symbolicate("cut", "--format", "json")
        #expect(run.status == 1)
        #expect(run.problems.count == 1)
        #expect(run.problems.first == "cut: is corrupt or truncated: use an intact copy")
        let remarks = try run.object()["remarks"] as? [String]
        #expect(remarks?.contains("text_truncated") == true)
        let same = try symbolicate("cut", "--format", "same")
        #expect(same.text.contains("pick(_:in:) + 36"))
        let raw = try workspace.symbolist("symbolicate", "cut", "--format", "same")
        #expect(
            try raw.output == Data(contentsOf: workspace.folder.appendingPathComponent("cut")))
    }

    @Test("UTF-16 stays UTF-16", arguments: ["UTF-16LE", "UTF-16BE"])
    func wide(encoding: String) throws {
        try workspace.file("x", text: "\u{feff}" + SameFormTests.crash)
        #expect(try workspace.shell("iconv -f UTF-8 -t \(encoding) x > y").status == 0)
        let narrow = try symbolicate("x", "--format", "same")
        #expect(narrow.text.contains("pick(_:in:) + 36"))
        let wide = try symbolicate("y", "--format", "same")
        #expect(
            String(
                data: wide.output,
                encoding: encoding == "UTF-16LE" ? .utf16LittleEndian : .utf16BigEndian)
                == narrow.text)
        #expect(try symbolicate("y").text == symbolicate("x").text)
    }

    @Test("an archive that unpacks to far more than its size is one line")
    func limits() throws {
        #expect(
            try workspace.shell(
                "head -c 70000000 /dev/zero | tr '\\0' a > big && zip -q bomb.zip big"
            ).status == 0)
        let run = try symbolicate("bomb.zip")
        #expect(run.status == 1)
        #expect(run.output.isEmpty)
        #expect(run.problems.count == 1)
        let problem = "bomb.zip: unpacks to more than 200 times its size, the limit: "
        #expect(run.problems.first?.hasPrefix(problem) == true)
    }
}

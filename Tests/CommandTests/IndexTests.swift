import Foundation
import TestSupport
import Testing

/// `symbolist index`, and the index cache.
@Suite("index", .ownThreads)
struct IndexTests {
    let workspace: Workspace

    init() throws { workspace = try Workspace() }

    @Test("the dump of an index equals the dump of its debug file")
    func build() throws {
        let kit = Orchard.absolute(Orchard.kit)
        let build = try workspace.symbolist("index", kit, "-o", "kit.symidx")
        #expect(build.status == 0)
        #expect(build.problems == [])
        let dump = try workspace.symbolist("index", "dump", "kit.symidx")
        #expect(dump.text.hasPrefix("image \(Orchard.kitID)\n"))
        #expect(dump.text.contains("hash_row"))
        #expect(try workspace.symbolist("index", "dump", kit).text == dump.text)
    }

    @Test("a file that cannot be indexed or dumped is one line, and the exit code is 1")
    func failures() throws {
        try workspace.file("notes.txt", text: "x")
        let kit = Orchard.absolute(Orchard.kit)
        _ = try workspace.symbolist("index", kit, "-o", "kit.symidx")
        let index = try Data(contentsOf: workspace.folder.appendingPathComponent("kit.symidx"))
        try workspace.file("cut.symidx", index.prefix(1000))
        try workspace.file("damaged.symidx", index.dropLast(9) + Data([0xff]) + index.suffix(8))
        let universal = Orchard.absolute(Orchard.universal)
        let cases: [([String], String)] = [
            (["notes.txt", "-o", "x"], "notes.txt: is not a Mach-O or ELF file"),
            (["nosuch", "-o", "x"], "nosuch: no such file or folder"),
            ([Orchard.absolute(Orchard.symbols), "-o", "x"], "contains 4 debug files: use one of"),
            (
                [kit, "-o", "no/such/x"],
                "no/such/x: cannot be written: no such file or directory: check that the"
            ),
            ([universal, "-o", "x"], "contains 2 slices (x86_64, arm64): select one with --arch"),
            (["--arch", "armv7", universal, "-o", "x"], "no slice for 'armv7' (slices: "),
            (["dump", "notes.txt"], "notes.txt: is not a Mach-O or ELF file"),
            (["dump", "cut.symidx"], "cut.symidx: index: has 1000 bytes, its header says"),
            (["dump", "damaged.symidx"], "differs from its checksum: build it again"),
        ]
        for (arguments, problem) in cases {
            let run = try workspace.run(
                executable.path, ["index"] + arguments, input: "", environment: [:],
                in: workspace.folder)
            #expect(run.status == 1, "\(arguments)")
            #expect(run.output.isEmpty)
            #expect(run.problems.count == 1)
            #expect(run.problems.first?.contains(problem) == true, "\(run.problems)")
        }
    }

    private func crash(cache: String? = nil) throws -> String {
        let run = try workspace.symbolist(
            "symbolicate", Orchard.crash, "--symbols", Orchard.symbols,
            environment: cache.map { ["SYMBOLIST_CACHE": $0] } ?? [:], inProject: true)
        #expect(run.status == 0)
        #expect(run.problems == [])
        return run.text
    }

    @Test("a second run uses the cached index, and repairs a damaged one silently")
    func cache() throws {
        let expected = try crash()
        let kept = try FileManager.default.contentsOfDirectory(atPath: workspace.cache.path)
            .sorted()
        #expect(kept.count == 2)
        #expect(try crash() == expected)
        for name in kept {
            let file = workspace.cache.appendingPathComponent(name)
            var bytes = try Data(contentsOf: file)
            bytes[bytes.count - 9] ^= 0xff
            try bytes.write(to: file)
        }
        #expect(try crash() == expected)
        let again = try FileManager.default.contentsOfDirectory(atPath: workspace.cache.path)
        #expect(again.sorted() == kept)
    }

    @Test("without a cache folder, runs are slower but succeed")
    func noCache() throws {
        let file = try workspace.file("file", text: "x")
        #expect(try crash(cache: "\(file)/cache") == crash())
        #expect(try crash(cache: "/proc/cache") == crash())
    }

    @Test("processes can build the same index at the same time")
    func parallelProcesses() async throws {
        let answers = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 1...4 { group.addTask { try crash() } }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(answers == [try crash()])
        let kept = try FileManager.default.contentsOfDirectory(atPath: workspace.cache.path)
        #expect(kept.count == 2)
    }
}

import Foundation
import TestSupport
import Testing

/// Files above the size that is read as a whole.
@Suite("symbolicate, large files", .ownThreads)
struct LargeFileTests {
    let workspace: Workspace
    let symbols = Orchard.absolute(Orchard.symbols)

    init() throws { workspace = try Workspace() }

    /// A log of long lines, above the limit for whole files.
    private func log(ending end: String) throws -> String {
        let path = try workspace.file("large.log", text: "a log\n")
        let file = try FileHandle(forUpdating: URL(fileURLWithPath: path))
        try file.truncate(atOffset: 65 << 20)
        try file.seekToEnd()
        try file.write(contentsOf: Data(("\n" + end).utf8))
        try file.close()
        return path
    }

    @Test("a file over 64 MiB is processed like a pipe", arguments: ["text", "same"])
    func large(format: String) throws {
        let path = try log(ending: SameFormTests.crash)
        let named = try workspace.shell(
            "symbolist symbolicate '\(path)' --symbols '\(symbols)' --format \(format) | tail -c 4000"
        )
        let piped = try workspace.shell(
            "symbolist symbolicate - --symbols '\(symbols)' --format \(format) < '\(path)' | tail -c 4000"
        )
        #expect(named.problems == [])
        #expect(named.text.contains("hash_weight"))
        #expect(named.text == piped.text)
    }

    @Test(
        "an archive or a compressed file that a pipe delivers in small parts is recognised",
        arguments: [1, 2, 200, 511])
    func smallParts(byteCount: Int) throws {
        try workspace.file("x.crash", text: SameFormTests.crash)
        let run = try workspace.shell(
            """
            gzip -k x.crash; tar -cf x.tar x.crash
            for file in x.crash.gz x.tar; do
                (head -c \(byteCount) $file; sleep 0.2; tail -c +\(byteCount + 1) $file) \
                    | symbolist symbolicate - --symbols '\(symbols)' --format json || exit 1
            done
            """)
        #expect(run.status == 0)
        #expect(run.text.components(separatedBy: "hash_weight").count > 2)
    }

    @Test("a file over 64 MiB in a folder or a compressed file is processed")
    func wrapped() throws {
        let path = try log(ending: SameFormTests.crash)
        let run = try workspace.shell(
            """
            mkdir folder; gzip -1 -c '\(path)' > x.crash.gz; mv '\(path)' folder/y.crash
            symbolist symbolicate folder --symbols '\(symbols)' --format json
            symbolist symbolicate x.crash.gz --symbols '\(symbols)' --format json
            """)
        #expect(run.text.components(separatedBy: "hash_weight").count > 2)
    }

    @Test(
        "a packed file over 64 MiB has the same output as the unpacked file",
        arguments: [("text", ["gzip -1"]), ("same", ["zstd -1", "xz -0"])])
    func packed(format: String, packings: [String]) throws {
        let path = try log(ending: SameFormTests.crash)
        let options = "--symbols '\(symbols)' --format \(format) | tail -c 4000"
        let plain = try workspace.shell("symbolist symbolicate '\(path)' \(options)")
        #expect(plain.text.contains("hash_weight"))
        for packing in packings {
            let run = try workspace.shell(
                "\(packing) -c '\(path)' > packed; symbolist symbolicate packed \(options)")
            #expect(run.problems == [])
            #expect(run.text == plain.text, "\(packing)")
        }
    }

    @Test("a packed stream over 64 MiB is processed as the unpacked one")
    func packedStream() throws {
        let path = try log(ending: SameFormTests.crash)
        let piped = try workspace.shell(
            """
            gzip -1 -c '\(path)' \
                | symbolist symbolicate - --symbols '\(symbols)' --format same | tail -c 4000
            """)
        #expect(piped.problems == [])
        #expect(piped.text.contains("hash_weight"))
    }

    @Test(
        "a file over 64 MiB in an archive is processed in its place",
        arguments: ["tar -c", "tar -cz"])
    func archived(packing: String) throws {
        let crash = try workspace.file("x.crash", text: SameFormTests.crash)
        let run = try workspace.shell(
            """
            mkdir logs; echo '0 Orchard 0x1010 0x1000 + 16' > logs/a.crash
            (yes 'an ordinary line' | head -c 66M; echo; cat '\(crash)') > logs/b.log
            dd if=/dev/urandom of=logs/c.bin bs=1M count=1 2> /dev/null
            \(packing) -f logs.archive logs
            symbolist symbolicate logs.archive --symbols '\(symbols)' --format json
            """)
        #expect(run.status == 0)
        #expect(run.text.contains("hash_weight"))
    }

    @Test("a damaged packed file over 64 MiB is processed up to the damage, and reported")
    func damagedPacked() throws {
        let run = try workspace.shell(
            """
            head -c 52M /dev/urandom | base64 | gzip -1 | head -c -1000000 > x.log.gz
            symbolist symbolicate x.log.gz --symbols '\(symbols)' > lines
            """)
        #expect(run.status == 1)
        #expect(run.problems.contains { $0.hasPrefix("x.log.gz: is ") })
    }

    @Test("a spindump over 64 MiB is read to its end")
    func spindump() throws {
        let filler = String(repeating: "x", count: (1 << 20) - 8)
        let path = workspace.folder.appendingPathComponent("spindump.txt").path
        let head = """
            Date/Time:        2026-01-01 10:00:00 +0000
            Command:          Shop
            PID:              42
            Event:            hang
            Data Source:      Stackshots

            Process:          Other [7]

            """
        let tail = """

            Process:          Shop [42]
            UUID:             CF441AF5-BB7E-3567-8D44-451D69214D92

              Thread 0x1    DispatchQueue "com.apple.main-thread"(1)    30 samples (1-30)
              30  ??? (Shop + 15028) [0x104a2fab4] 1-30

              Binary Images:
                0x104a2c000 -        0x104a2ffff Shop (1) <CF441AF5-BB7E-3567-8D44-451D69214D92> /S

            """
        #expect(FileManager.default.createFile(atPath: path, contents: Data(head.utf8)))
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        for _ in 0..<66 { try file.write(contentsOf: Data("  \(filler)\n".utf8)) }
        try file.write(contentsOf: Data(tail.utf8))
        try file.close()
        let run = try workspace.symbolist("symbolicate", path, "--symbols", symbols)
        #expect(run.text.contains("0x104a2c000 + 15028"))
        #expect(run.text.contains("Shop"))
    }
}

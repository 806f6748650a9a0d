import Archives
import Decompression
import LogExtraction
import Problems
import ReportFixtures
import TestSupport
import Testing

@Suite("Archives of crash files")
struct ReceivedFileTests {
    private let text = bytes("0 Orchard 0x1010 0x1000 + 16\n")

    @Test("only a start without a line end may become an archive")
    func start() {
        for text in ["", "a", "orchard.crash\0\0", String(repeating: "a", count: 511)] {
            #expect(ReceivedFile.mayBecomePacked(bytes(text)))
        }
        for text in ["a line\n", "a line\nand", String(repeating: "a", count: 512)] {
            #expect(!ReceivedFile.mayBecomePacked(bytes(text)))
        }
    }

    /// The files in an archive with their contents, and problems.
    private func findings(
        _ archive: [UInt8], _ limits: UnpackingLimits = .ofReports(), fileLimit: Int = 1 << 20
    ) throws -> (files: [String: [UInt8]], problems: [String], passedCount: Int) {
        var found: (files: [String: [UInt8]], problems: [String]) = ([:], [])
        switch try ReceivedFile(archive, name: "x.zip", limits: limits, fileLimit: fileLimit) {
        case .single(let file):
            return (["": file.bytes], [file.damage].compactMap(\.?.description), 0)
        case .archive(var files):
            while let finding = files.next() {
                switch finding {
                case .file(let name, let file):
                    #expect(found.files.updateValue(file.bytes, forKey: name) == nil)
                    if let damage = file.damage { found.problems.append("\(name): \(damage)") }
                case .problem(let error): found.problems.append(error.description)
                }
            }
            return (found.files, found.problems, files.passedCount)
        }
    }

    private func tar(_ names: String...) -> [UInt8] {
        var tar = TarBuilder()
        for name in names { tar.add(name, text) }
        return tar.bytes()
    }

    private func zip(_ name: String, _ contents: [UInt8]) -> [UInt8] {
        var zip = ZipBuilder()
        zip.add(name, contents)
        return zip.bytes()
    }

    @Test("files are read from archives of every kind")
    func kinds() throws {
        let tar = tar("a.ips", "b/c.crash")
        let archives = [
            tar, try CompressedBody(gzipping: tar).bytes, try ZstdBlock(compressing: tar).bytes,
        ]
        for archive in archives {
            let found = try findings(archive)
            #expect(found.files == ["a.ips": text, "b/c.crash": text])
            #expect(found.problems.isEmpty)
        }
        #expect(try findings(zip("a.ips", text)).files == ["a.ips": text])
        #expect(try findings(text).files == ["": text])
    }

    @Test("archives are read two levels deep, including compressed files in them")
    func nested() throws {
        let gzip = try CompressedBody(gzipping: text).bytes
        let third = zip("c.zip", zip("b.zip", zip("a.ips.gz", gzip)))
        #expect(try findings(third).files == ["c.zip/b.zip/a.ips.gz": text])
        let fourth = try findings(zip("d.zip", third))
        #expect(fourth.files.isEmpty)
        #expect(
            fourth.problems == [
                "x.zip/d.zip/c.zip/b.zip: is nested in more than 2 archives, the limit: "
                    + "unpack the outer archives"
            ])
    }

    @Test("files that cannot be reports are skipped")
    func passed() throws {
        var zip = ZipBuilder()
        let others = [
            "App.dSYM/Contents/Info.plist", ".hidden/x.ips", "p.xccrashpoint/Info.json",
            "p.xccrashpoint/Filters/F/Logs/LocallySymbolicated/x.crash",
            "p.xccrashpoint/Filters/F/x.crash",
        ]
        for name in others { zip.add(name, text) }
        zip.add("App", [0x7f, 0x45, 0x4c, 0x46, 1, 0])
        zip.add("image.png", [0x89, 0x50, 0x4e, 0x47, 0])
        zip.add("empty.ips", [])
        for name in ["__MACOSX/x.ips", "._x.ips", "d/.DS_Store"] { zip.add(name, text) }
        zip.add("p.xccrashpoint/Filters/F/Logs/x.crash", text)
        zip.add("x.plcrash", bytes("plcrash\u{1}\u{0}"))
        let found = try findings(zip.bytes())
        #expect(
            found.files.keys.sorted() == ["p.xccrashpoint/Filters/F/Logs/x.crash", "x.plcrash"])
        #expect(found.problems.isEmpty)
        #expect(found.passedCount == others.count + 3)
    }

    @Test(
        "files that are encrypted, leave the archive or are too large are reported, and the rest is read"
    )
    func problems() throws {
        var zip = ZipBuilder()
        zip.add(bytes("secret.ips"), text, flags: 1)
        zip.add("../x.ips", text)
        zip.add("large.log", [UInt8](repeating: 0x20, count: 1 << 20 + 1))
        zip.add(bytes("damaged.ips"), text, checksum: 1)
        zip.add("good.ips", text)
        let found = try findings(zip.bytes())
        #expect(found.files == ["good.ips": text])
        try #require(found.problems.count == 4)
        #expect(
            found.problems[0] == "x.zip/secret.ips: is encrypted: use an archive without a password"
        )
        #expect(found.problems[1].hasPrefix("x.zip/../x.ips: name points outside the archive: "))
        #expect(found.problems[2].hasPrefix("x.zip/large.log: is larger than 1 MiB, the limit"))
        #expect(found.problems[3].hasPrefix("x.zip/damaged.ips: is corrupt ("))
    }

    @Test(
        "the complete files of a truncated archive are read, with a problem",
        arguments: ["zip", "tar", "tar.gz"])
    func cut(kind: String) throws {
        var zip = ZipBuilder()
        for name in ["a.ips", "b.ips"] { zip.add(name, text) }
        let tar = tar("a.ips", "b.ips")
        let archive =
            switch kind {
            case "zip": zip.bytes().dropLast(30)
            case "tar": tar.prefix(512 * 3)
            default: try CompressedBody(gzipping: tar).bytes.dropLast(9)
            }
        let found = try findings(Array(archive))
        #expect(found.files["a.ips"] == text)
        #expect(!found.problems.isEmpty)
    }

    @Test("the limits apply to nested archives together")
    func limits() throws {
        var limits = UnpackingLimits.ofReports()
        limits.entryCount = 3
        #expect(try findings(tar("a", "b", "c"), limits).files.count == 3)
        #expect(
            try findings(tar("a", "b", "c", "d"), limits).problems == [
                "x.zip: has more than 3 entries, the limit: unpack it and use the relevant files"
            ])
        var outer = TarBuilder()
        for name in ["1.tar", "2.tar"] { outer.add(name, tar("a", "b")) }
        let nested = try findings(outer.bytes(), limits)
        #expect(nested.files.count == 1 + 1)
        #expect(nested.problems.first?.contains("has more than 3 entries") == true)
        var bytes = UnpackingLimits.ofReports()
        bytes.unpackedBytes = Int64(text.count)
        #expect(try findings(tar("a"), bytes).problems.isEmpty)
        #expect(try findings(tar("a", "b"), bytes).problems.count == 1)
    }

    /// The files that are larger than the limit, by path, read piece by piece.
    private func largeFiles(_ held: [UInt8], limit: Int) async throws -> [String: [UInt8]] {
        var errors: [UnpackingError] = []
        do {
            let held = try ReceivedFile(held, name: "x", fileLimit: limit, archiveLimit: 1 << 20)
            if case .archive(var files) = held {
                while let finding = files.next() {
                    if case .problem(let error) = finding { errors.append(error) }
                }
            }
        } catch {
            errors = [error]
        }
        var contents: [String: [UInt8]] = [:]
        for large in errors.compactMap(\.largeFile) {
            contents[large.path] = try await large.bytes(limit: 1 << 20)
        }
        return contents
    }

    @Test("of every kind provide files larger than the limit piece by piece")
    func largeFiles() async throws {
        let log = (0..<100_000).map { UInt8(truncatingIfNeeded: 0x20 + $0 % 89) }
        let limit = log.count - 1
        var tar = TarBuilder()
        tar.add("a.ips", text)
        tar.add("logs/b.log", log)
        let gzip = try CompressedBody(gzipping: log).bytes
        let zstd = try ZstdBlock(compressing: log).bytes
        for sole in [gzip, zstd] {
            #expect(try await largeFiles(sole, limit: limit) == ["": log])
            #expect(try await largeFiles(sole, limit: log.count) == [:])
        }
        let archives = [
            tar.bytes(), try CompressedBody(gzipping: tar.bytes()).bytes,
            try ZstdBlock(compressing: tar.bytes()).bytes, zip("logs/b.log", log),
        ]
        for archive in archives {
            #expect(try await largeFiles(archive, limit: limit) == ["logs/b.log": log])
            #expect(try await largeFiles(archive, limit: log.count) == [:])
        }
        #expect(
            try await largeFiles(zip("c.zip", zip("b.log.gz", gzip)), limit: limit)
                == ["c.zip/b.log.gz": log])
        let inner = try await largeFiles(zip("c.tar", tar.bytes()), limit: limit)
        #expect(inner == ["c.tar/logs/b.log": log])
    }

    @Test("that are damaged after the limit provide a large file up to the damage, and report it")
    func damagedLargeFile() async throws {
        let log = (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 * $0 >> 7) | 0x20 }
        let cut = Array(try CompressedBody(gzipping: log).bytes.dropLast(5_000))
        let error = try #require(throws: UnpackingError.self) {
            _ = try ReceivedFile(cut, name: "x.gz", fileLimit: 1_000)
        }
        var read: [UInt8] = []
        let large = try #require(error.largeFile)
        let damage = await #expect(throws: UnpackingError.self) {
            try await large.forEachPiece { piece in
                read += piece
                return true
            }
        }
        #expect(damage?.description.hasPrefix("x.gz: is ") == true)
        #expect(!read.isEmpty && log.starts(with: read))
    }

    @Test("unpack no more of a large file than requested")
    func largeFileLimit() async throws {
        let log = [UInt8](repeating: 0x41, count: 1_001)
        let error = try #require(throws: UnpackingError.self) {
            _ = try ReceivedFile(
                try CompressedBody(gzipping: log).bytes, name: "x", fileLimit: 1_000)
        }
        let large = try #require(error.largeFile)
        #expect(try await large.bytes(limit: 1_001) == log)
        await #expect(throws: UnpackingError.self) { try await large.bytes(limit: 1_000) }
    }

    @Test("a compressed archive may exceed the size limit of one file")
    func large() throws {
        let gzip = try CompressedBody(gzipping: tar("a.ips", "b.ips")).bytes
        #expect(try findings(gzip, fileLimit: 1_000).files.count == 2)
        let sole = try CompressedBody(gzipping: [UInt8](repeating: 0x41, count: 1_001)).bytes
        #expect(throws: UnpackingError.self) { try findings(sole, fileLimit: 1_000) }
    }
}

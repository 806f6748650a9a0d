import Archives
import CrashFiles
import Decompression
import TestSupport
import Testing

@Suite("Archives of crash files")
struct HeldFileTests {
    private let text = bytes("0 Orchard 0x1010 0x1000 + 16\n")

    /// What an archive holds: names with their contents, and problems.
    private func findings(
        _ archive: [UInt8], _ limits: ArchiveLimits = .ofReports(), fileLimit: Int = 1 << 20
    ) throws -> (files: [String: [UInt8]], problems: [String], passedCount: Int) {
        var found: (files: [String: [UInt8]], problems: [String]) = ([:], [])
        switch try HeldFile(archive, name: "x.zip", limits: limits, fileLimit: fileLimit) {
        case .single(let file): return (["": file.bytes], [file.damage].compactMap(\.self), 0)
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

    @Test("of every kind give their files")
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

    @Test("are read two deep, with what is compressed in them")
    func nested() throws {
        let gzip = try CompressedBody(gzipping: text).bytes
        let third = zip("c.zip", zip("b.zip", zip("a.ips.gz", gzip)))
        #expect(try findings(third).files == ["c.zip/b.zip/a.ips.gz": text])
        let fourth = try findings(zip("d.zip", third))
        #expect(fourth.files.isEmpty)
        #expect(
            fourth.problems == [
                "x.zip/d.zip/c.zip/b.zip: lies in more than 2 archives, its limit: "
                    + "unpack the outer archives"
            ])
    }

    @Test("pass over what can be no report")
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

    @Test("tell what is encrypted, leads out or is too large, and give the rest")
    func problems() throws {
        var zip = ZipBuilder()
        zip.add(bytes("secret.ips"), text, flags: 1)
        zip.add("../x.ips", text)
        zip.add("large.log", [UInt8](repeating: 0x20, count: 1 << 20 + 1))
        zip.add(bytes("damaged.ips"), text, checksum: 1)
        zip.add("good.ips", text)
        let found = try findings(zip.bytes())
        #expect(found.files == ["good.ips": text])
        #expect(found.problems.count == 4)
        #expect(found.problems[0] == "x.zip/secret.ips: is encrypted: give it without a password")
        #expect(found.problems[1].hasPrefix("x.zip/../x.ips: name leads out of the archive: "))
        #expect(found.problems[2].hasPrefix("x.zip/large.log: is larger than 1 MiB, the limit"))
        #expect(found.problems[3].hasPrefix("x.zip/damaged.ips: is damaged ("))
    }

    @Test("that are cut give what is whole, and say so", arguments: ["zip", "tar", "tar.gz"])
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

    @Test("end at the limits of all archives together")
    func limits() throws {
        var limits = ArchiveLimits.ofReports()
        limits.entryCount = 3
        #expect(try findings(tar("a", "b", "c"), limits).files.count == 3)
        #expect(
            try findings(tar("a", "b", "c", "d"), limits).problems == [
                "x.zip: has more than 3 entries, its limit: unpack it and give the files that matter"
            ])
        var outer = TarBuilder()
        for name in ["1.tar", "2.tar"] { outer.add(name, tar("a", "b")) }
        let nested = try findings(outer.bytes(), limits)
        #expect(nested.files.count == 1 + 1)
        #expect(nested.problems.first?.contains("has more than 3 entries") == true)
        var bytes = ArchiveLimits.ofReports()
        bytes.unpackedBytes = Int64(text.count)
        #expect(try findings(tar("a"), bytes).problems.isEmpty)
        #expect(try findings(tar("a", "b"), bytes).problems.count == 1)
    }

    @Test("may be larger than a file where they are compressed")
    func large() throws {
        let gzip = try CompressedBody(gzipping: tar("a.ips", "b.ips")).bytes
        #expect(try findings(gzip, fileLimit: 1_000).files.count == 2)
        let sole = try CompressedBody(gzipping: [UInt8](repeating: 0x41, count: 1_001)).bytes
        #expect(throws: HeldFileError.self) { try findings(sole, fileLimit: 1_000) }
    }
}

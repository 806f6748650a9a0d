import Archives
import Foundation
import TestSupport
import Testing

@Suite("Damaged archives")
struct DamagedArchiveTests {
    let folder: TestFolder

    init() throws { folder = try TestFolder() }

    static let packings = [
        "zip -q archive.zip a b c && mv archive.zip archive", "tar -cf archive a b c",
        "tar -czf archive a b c", "tar -cJf archive a b c", "tar --zstd -cf archive a b c",
        "zip -q inner.zip a b && tar -czf archive inner.zip c",
    ]

    /// Three wanted files that do not compress well.
    private func originals() -> [String: [UInt8]] {
        var numbers = SplitMix64(seed: 1)
        var files: [String: [UInt8]] = [:]
        for name in ["a", "b", "c"] {
            let noise = (0..<150_000).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
            files[name] = wanted + noise
        }
        return files
    }

    private func pack(_ packing: String) throws -> [UInt8] {
        for (name, bytes) in originals() { try folder.write(bytes, to: name) }
        try folder.shell(packing)
        return Array(try Data(contentsOf: folder.url.appendingPathComponent("archive")))
    }

    @Test("the intact files of a truncated archive are unpacked", arguments: packings)
    func truncated(packing: String) throws {
        let archive = try pack(packing)
        let originals = originals()
        var largestCount = 0
        // A tar archive that lost only its padding is still complete.
        let end = archive.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
        for length in stride(from: 512, to: end, by: 9_973) {
            guard let result = try? folder.unpack(Array(archive[..<length])) else { continue }
            for (name, bytes) in result.contents {
                #expect(originals[String(name.suffix(1))] == bytes, "\(name) at \(length)")
            }
            #expect(!result.problems.isEmpty, "\(length) of \(archive.count) bytes")
            largestCount = max(largestCount, result.contents.count)
        }
        #expect(largestCount > 0)
        #expect(folder.unpackedPaths().isEmpty)
    }

    @Test("a tar archive without its end is truncated, though every entry is complete")
    func withoutEnd() throws {
        var tar = TarBuilder()
        tar.add("x", wanted)
        let result = try folder.unpack(tar.bytes(ended: false))
        #expect(result.contents == ["x": wanted])
        #expect(result.problems == ["archive: is truncated: build or download it again"])
    }

    @Test("damage of any kind leaves only intact files", arguments: packings)
    func damage(packing: String) throws {
        let archive = try pack(packing)
        var numbers = SplitMix64(seed: UInt64(archive.count))
        for _ in 0..<40 {
            try folder.write(archive.damaged(using: &numbers), to: "archive")
            let names = (try? folder.unpack("archive"))?.files.map(\.path) ?? []
            let inFolder = folder.unpackedPaths().dropFirst().map(folder.path)
            #expect(inFolder == names.sorted())
            try? FileManager.default.removeItem(atPath: folder.path("out"))
        }
    }

    @Test("a zip directory at another position than declared is not used")
    func misplacedDirectory() throws {
        var zip = ZipBuilder()
        zip.add("x", wanted)
        var bytes = zip.bytes()
        bytes[bytes.count - 6] ^= 1
        let result = try folder.unpack(bytes)
        #expect(result.contents == ["x": wanted])
        #expect(result.problems == ["archive: is truncated: build or download it again"])
    }
}

import Archives
import Foundation
import Problems
import TestSupport

extension TestFolder {
    func shell(_ line: String) throws { try TestSupport.shell(line, in: url) }

    /// All files and folders except the archives at the top.
    func unpackedPaths() -> [String] {
        let all = FileManager.default.enumerator(atPath: url.path)?.allObjects as? [String] ?? []
        return all.filter { $0.hasPrefix("out") }.sorted()
    }

    /// Unpacks an archive of the folder into `out`. Wanted files start with `wanted`, or are ELF or
    /// Mach-O.
    func unpack(_ name: String, limits: UnpackingLimits = .init()) throws -> UnpackedArchive {
        try UnpackedArchive(
            of: path(name), name: name, into: path("out"), limits: limits, keeping: isWanted)
    }

    /// Unpacks an archive from bytes, and returns the contents by name, too.
    func unpack(
        _ bytes: [UInt8], limits: UnpackingLimits = .init()
    ) throws -> (contents: [String: [UInt8]], problems: [String]) {
        try write(bytes, to: "archive")
        let archive = try unpack("archive", limits: limits)
        defer { try? FileManager.default.removeItem(atPath: path("out")) }
        return (try contents(of: archive), archive.problems.map(\.description))
    }

    func contents(of archive: UnpackedArchive) throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for file in archive.files {
            contents[file.name] = Array(try Data(contentsOf: URL(fileURLWithPath: file.path)))
        }
        return contents
    }
}

private func isWanted(_ entry: ArchiveMember) -> Bool {
    [wanted, [0x7f, 0x45, 0x4c, 0x46], [0xcf, 0xfa, 0xed, 0xfe]].contains {
        entry.start.starts(with: $0)
    }
}

/// The contents of a wanted file.
let wanted = Array("wanted".utf8)

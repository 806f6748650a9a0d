import ByteReading
import Decompression
import Dwarf
import ELF

// Sections of debug information, in the forms that compilers and `objcopy` write.

extension ELFImage {
    func debugSection(_ name: String) throws(ReadingError) -> DebugSection? {
        if name == DwarfSections.Name.info.inFile(isSplit: true) {
            let all = sections.filter { isSection($0, named: name) }
            if all.count > 1 { return .plain(try joined(all, name: name)) }
        }
        return try section(name).flatMap { section throws(ReadingError) in
            try contents(of: section, name: name)
        }
    }

    /// Returns the section with bytes, as `.debug_…` or, in older compressed files, `.zdebug_…`.
    func section(_ name: String) -> ELFSection? { sections.first { isSection($0, named: name) } }

    private func isSection(_ section: ELFSection, named name: String) -> Bool {
        guard section.hasBytes else { return false }
        return section.name == name
            || section.name.hasPrefix(".z") && section.name.dropFirst(2) == name.dropFirst()
    }

    private func contents(
        of section: ELFSection, name: String
    ) throws(ReadingError) -> DebugSection? {
        if let header = try compression(of: section) {
            guard let method = CompressedSectionBytes.Method(rawValue: header.type) else {
                let problem = "unsupported compression type \(header.type), only zlib and zstd"
                throw ReadingError(.malformed(problem), in: name, at: 0)
            }
            return .compressed(
                CompressedSectionBytes(
                    method: method, stream: header.stream.named(name),
                    inflatedCount: header.inflatedCount))
        }
        guard let bytes = try bytes(of: section)?.named(name) else { return nil }
        if section.name.hasPrefix(".z"),
            let compressed = try CompressedSectionBytes(zdebugSection: bytes)
        {
            return .compressed(compressed)
        }
        return .plain(bytes)
    }

    /// Returns sections of the same name as one.
    ///
    /// With `-fdebug-types-section`, GCC writes each type unit of a `.dwo` file to a section of its
    /// own, and the compile unit to the last one. Units do not depend on their position.
    private func joined(
        _ sections: [ELFSection], name: String
    ) throws(ReadingError) -> FileBytes {
        var parts: [FileBytes] = []
        var stored = UInt64(byteCount)
        var limit = DebugFile.inflatedBytesLimit
        for section in sections {
            // Otherwise, sections that share their bytes could take any amount of memory.
            guard section.size <= stored
            else { throw ReadingError(.malformed("sections overlap"), in: name, at: 0) }
            stored -= section.size
            switch try contents(of: section, name: name) {
            case nil: break
            case .plain(let bytes): parts.append(bytes)
            case .compressed(let bytes):
                parts.append(try bytes.inflated(limit: limit))
                limit -= bytes.inflatedCount
            }
        }
        return FileBytes(joining: parts, subject: name)
    }
}

import ByteReading
import SymbolIntake

/// Finds sections in a stored ELF file.
///
/// It reads only the header, the section headers and their names. Whatever the file contains, a
/// search finds only ranges inside it.
struct ELFSectionRanges {
    /// The maximum sizes of the section headers and of their names, in bytes.
    static let headersLimit: UInt64 = 64 << 16
    static let namesLimit: UInt64 = 16 << 20

    private static let elfHeaderSize: Int64 = 64
    private static let noBits: UInt32 = 8

    private struct Header {
        var name: UInt64
        var type: UInt32
        var offset: UInt64
        var size: UInt64
    }

    private let fileSize: UInt64
    private let bytes: (Range<Int64>) throws -> [UInt8]

    init(_ content: StoredContent) {
        self.init(fileSize: UInt64(clamping: content.file.byteCount), content.bytes)
    }

    /// - Parameter bytes: Returns the bytes of a range of the file.
    init(fileSize: UInt64, _ bytes: @escaping (Range<Int64>) throws -> [UInt8]) {
        self.fileSize = fileSize
        self.bytes = bytes
    }

    /// Returns the range of the first section of a name that has bytes in the file.
    func range(of name: String) throws -> Range<Int64>? {
        do { return try search(name) } catch is ReadingError { return nil }
    }

    private func search(_ name: String) throws -> Range<Int64>? {
        let start = FileBytes(try bytes(0..<Self.elfHeaderSize), subject: "header")
        guard try start.number(UInt32.self, at: 0, bigEndian: true) == 0x7f45_4c46 else {
            return nil
        }
        let is64Bit = try start.number(UInt8.self, at: 4) == 2
        let isBigEndian = try start.number(UInt8.self, at: 5) == 2
        func half(_ offset: UInt64) throws -> UInt64 {
            UInt64(try start.number(UInt16.self, at: offset, bigEndian: isBigEndian))
        }
        let table =
            is64Bit
            ? try start.number(UInt64.self, at: 40, bigEndian: isBigEndian)
            : UInt64(try start.number(UInt32.self, at: 32, bigEndian: isBigEndian))
        let entrySize: UInt64 = is64Bit ? 64 : 40
        func headers(count: UInt64) throws -> [Header] {
            try self.headers(
                at: table, count: count, entrySize: entrySize, is64Bit: is64Bit,
                isBigEndian: isBigEndian)
        }
        var count = try half(is64Bit ? 60 : 48)
        var namesIndex = try half(is64Bit ? 62 : 50)
        // With 65,280 sections or more, section 0 has the numbers that do not fit in the header.
        if count == 0 || namesIndex == 0xffff {
            let first = try extended(at: table, is64Bit: is64Bit, isBigEndian: isBigEndian)
            if count == 0 { count = first.count }
            if namesIndex == 0xffff { namesIndex = first.namesIndex }
        }
        let sections = try headers(count: count)
        guard namesIndex < sections.count else { return nil }
        let names = sections[Int(namesIndex)]
        guard let range = range(names), names.size <= Self.namesLimit else { return nil }
        let texts = FileBytes(try bytes(range), subject: "section names")
        return try sections.lazy.filter { try isNamed($0, name: name, texts: texts) }.compactMap(
            self.range
        )
        .first
    }

    private func isNamed(_ section: Header, name: String, texts: FileBytes) throws -> Bool {
        guard let range = try? texts.textRange(at: section.name, limit: name.utf8.count)
        else { return false }
        return texts.string(of: range) == name
    }

    /// Returns the number of sections, and the index of the section with their names, from section
    /// 0.
    private func extended(
        at table: UInt64, is64Bit: Bool, isBigEndian: Bool
    ) throws -> (count: UInt64, namesIndex: UInt64) {
        guard let range = range(at: table, size: is64Bit ? 64 : 40) else { return (0, 0) }
        var cursor = ByteCursor(FileBytes(try bytes(range)), bigEndian: isBigEndian)
        try cursor.skip(is64Bit ? 32 : 20)
        let count = try cursor.unsigned(size: is64Bit ? 8 : 4)
        return (count, UInt64(try cursor.number(UInt32.self)))
    }

    private func headers(
        at table: UInt64, count: UInt64, entrySize: UInt64, is64Bit: Bool, isBigEndian: Bool
    ) throws -> [Header] {
        guard count <= Self.headersLimit / entrySize,
            let range = range(at: table, size: count * entrySize)
        else { return [] }
        var cursor = ByteCursor(FileBytes(try bytes(range)), bigEndian: isBigEndian)
        let wordSize = is64Bit ? 8 : 4
        var headers: [Header] = []
        for number in 0..<count {
            try cursor.jump(to: number * entrySize)
            let name = UInt64(try cursor.number(UInt32.self))
            let type = try cursor.number(UInt32.self)
            // Flags and address.
            try cursor.skip(UInt64(2 * wordSize))
            headers.append(
                Header(
                    name: name, type: type, offset: try cursor.unsigned(size: wordSize),
                    size: try cursor.unsigned(size: wordSize)))
        }
        return headers
    }

    private func range(_ section: Header) -> Range<Int64>? {
        section.type == Self.noBits ? nil : range(at: section.offset, size: section.size)
    }

    /// Returns a range of the file, or `nil` if it is not inside the file.
    private func range(at offset: UInt64, size: UInt64) -> Range<Int64>? {
        let (end, overflows) = offset.addingReportingOverflow(size)
        guard !overflows, end <= fileSize else { return nil }
        return Int64(clamping: offset)..<Int64(clamping: end)
    }
}

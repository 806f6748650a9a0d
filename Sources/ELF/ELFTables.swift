import ByteReading
private import CLibElf
public import CallStacks

/// A section header.
public struct ELFSection: Hashable, Sendable {
    /// The name, or an empty string if the name table is corrupt.
    public internal(set) var name = ""
    public let address: LinkAddress
    /// The size in bytes: in memory for sections without bytes, otherwise in the file.
    public let size: UInt64
    let nameOffset: UInt64
    let type: UInt32
    let flags: UInt64
    let offset: UInt64
    let link: UInt32

    /// The name in errors.
    var subject: String { name.isEmpty ? "section" : name }

    /// Whether it contains instructions that are loaded with the image. A debug file keeps the
    /// header without the bytes (`SHT_NOBITS`); the address range is still valid.
    public var containsCode: Bool { flags & Self.allocated != 0 && flags & Self.executable != 0 }

    /// Whether the file has its bytes.
    public var hasBytes: Bool { type != Self.noBits && size != 0 }

    /// Whether its bytes start with a compression header (`SHF_COMPRESSED`).
    public var isCompressed: Bool { flags & Self.compressed != 0 }

    static let symbolTable: UInt32 = 2
    static let stringTable: UInt32 = 3
    static let note: UInt32 = 7
    static let noBits: UInt32 = 8
    static let dynamicSymbolTable: UInt32 = 11
    static let allocated: UInt64 = 0x2
    static let executable: UInt64 = 0x4
    static let compressed: UInt64 = 0x800
}

/// A program header.
public struct ELFSegment: Hashable, Sendable {
    public let address: UInt64
    let type: UInt32
    public let offset: UInt64
    public let fileSize: UInt64
    /// The size in memory, in bytes.
    let memorySize: UInt64
    let flags: UInt32

    /// Whether it is loaded and contains instructions.
    var containsCode: Bool { type == Self.load && flags & Self.executable != 0 }

    static let load: UInt32 = 1
    static let interpreter: UInt32 = 3
    static let note: UInt32 = 4
    static let executable: UInt32 = 1
}

/// The section and program headers of a file, read with libelf in either class and byte order.
struct ELFTables {
    let sections: [ELFSection]
    let segments: [ELFSegment]
    /// The index of the section that contains the section names.
    let namesIndex: Int

    /// - Parameter file: A file whose ``ELFHeader`` was read, so that libelf's memory use is
    ///   limited.
    init(_ file: FileBytes) throws(ReadingError) {
        self = unsafe try file.withUnsafeBytes { bytes throws(ReadingError) in
            let handle = unsafe try ELFHandle(bytes)
            return try ELFTables(handle)
        }
    }

    private init(_ handle: borrowing ELFHandle) throws(ReadingError) {
        sections = try handle.sections()
        segments = try handle.segments()
        namesIndex = try handle.namesIndex()
    }
}

/// An open libelf handle over bytes in memory, closed exactly once.
///
/// Only headers are read through the handle. Contents are read by ``ByteReading/FileBytes``, which
/// checks bounds: libelf's own accessors convert or copy whole sections, and `elf_compress` writes
/// to the image, which is a read-only mapping here.
@safe
private struct ELFHandle: ~Copyable {
    private let elf: OpaquePointer

    private static let isReady = elf_version(UInt32(EV_CURRENT)) != UInt32(EV_NONE)

    /// - Parameter bytes: The file, which must outlive the handle.
    @unsafe
    init(_ bytes: UnsafeRawBufferPointer) throws(ReadingError) {
        guard Self.isReady, let start = bytes.baseAddress,
            // libelf takes mutable bytes, but writes to them only on request.
            let elf = unsafe elf_memory(
                UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: CChar.self)),
                bytes.count)
        else { throw Self.lastError() }
        unsafe self.elf = elf
    }

    deinit { unsafe _ = elf_end(elf) }

    /// Returns the error of the last libelf call, which has no position.
    private static func lastError() -> ReadingError {
        let text = unsafe elf_errmsg(-1).map { unsafe String(cString: $0) }
        return ReadingError(.malformed(text ?? "rejected by libelf"), in: "ELF headers", at: 0)
    }

    func sections() throws(ReadingError) -> [ELFSection] {
        var count = 0
        guard unsafe elf_getshdrnum(elf, &count) == 0 else { throw Self.lastError() }
        var sections: [ELFSection] = []
        for index in 0..<count {
            var header = GElf_Shdr()
            guard let section = unsafe elf_getscn(elf, index),
                unsafe gelf_getshdr(section, &header) != nil
            else { throw Self.lastError() }
            sections.append(ELFSection(header))
        }
        return sections
    }

    func segments() throws(ReadingError) -> [ELFSegment] {
        var count = 0
        guard unsafe elf_getphdrnum(elf, &count) == 0 else { throw Self.lastError() }
        var segments: [ELFSegment] = []
        for index in 0..<count {
            var header = GElf_Phdr()
            guard unsafe gelf_getphdr(elf, Int32(index), &header) != nil
            else { throw Self.lastError() }
            segments.append(ELFSegment(header))
        }
        return segments
    }

    func namesIndex() throws(ReadingError) -> Int {
        var index = 0
        guard unsafe elf_getshdrstrndx(elf, &index) == 0 else { throw Self.lastError() }
        return index
    }
}

extension ELFSection {
    fileprivate init(_ header: GElf_Shdr) {
        address = LinkAddress(header.sh_addr)
        size = header.sh_size
        nameOffset = UInt64(header.sh_name)
        type = header.sh_type
        flags = header.sh_flags
        offset = header.sh_offset
        link = header.sh_link
    }
}

extension ELFSegment {
    fileprivate init(_ header: GElf_Phdr) {
        address = header.p_vaddr
        type = header.p_type
        offset = header.p_offset
        fileSize = header.p_filesz
        memorySize = header.p_memsz
        flags = header.p_flags
    }
}

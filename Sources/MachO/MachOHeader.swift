public import ByteReading
public import CallStacks

/// The header of a thin Mach-O file (`mach_header` and `mach_header_64` of `mach-o/loader.h`).
public struct MachOHeader: Hashable, Sendable {
    /// Whether addresses have 8 bytes. `arm64_32` has 64-bit instructions in a 32-bit file.
    public let is64Bit: Bool
    public let isBigEndian: Bool
    public let architecture: Architecture
    public let fileType: MachOFileType
    /// Whether the image is or was part of a shared cache: `MH_DYLIB_IN_CACHE`.
    public let isInSharedCache: Bool
    let commandCount: UInt32
    let commandBytes: UInt32

    /// Whether `file` starts with the magic of a thin Mach-O file.
    public static func begins(_ file: FileBytes) -> Bool {
        guard let word = try? file.number(UInt32.self, at: 0) else { return false }
        return [magic, magic64].contains(word) || [magic, magic64].contains(word.byteSwapped)
    }

    init(_ file: FileBytes) throws(ReadingError) {
        let word = try file.number(UInt32.self, at: 0)
        isBigEndian = [Self.magic, Self.magic64].contains(word.byteSwapped)
        let magic = isBigEndian ? word.byteSwapped : word
        guard [Self.magic, Self.magic64].contains(magic)
        else { throw ReadingError(.malformed("no Mach-O magic"), in: file.subject, at: 0) }
        is64Bit = magic == Self.magic64
        var cursor = ByteCursor(file, at: 4, bigEndian: isBigEndian)
        architecture = Architecture(
            cpuType: try cursor.number(UInt32.self), cpuSubtype: try cursor.number(UInt32.self))
        fileType = MachOFileType(rawValue: try cursor.number(UInt32.self))
        commandCount = try cursor.number(UInt32.self)
        commandBytes = try cursor.number(UInt32.self)
        isInSharedCache = try cursor.number(UInt32.self) & 0x8000_0000 != 0
    }

    /// The offset of the load commands: after the flags and, in 64-bit files, a reserved word.
    var byteCount: UInt64 { is64Bit ? 32 : 28 }

    /// The size of an address in bytes.
    public var addressSize: Int { is64Bit ? 8 : 4 }

    private static let magic: UInt32 = 0xfeed_face
    private static let magic64: UInt32 = 0xfeed_facf
}

/// The type of a Mach-O file, with the values in `mach-o/loader.h`.
public struct MachOFileType: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let object = Self(rawValue: 1)
    public static let executable = Self(rawValue: 2)
    public static let preload = Self(rawValue: 5)
    public static let dylib = Self(rawValue: 6)
    public static let dylinker = Self(rawValue: 7)
    public static let bundle = Self(rawValue: 8)
    public static let dylibStub = Self(rawValue: 9)
    public static let dSYM = Self(rawValue: 10)
    public static let kextBundle = Self(rawValue: 11)
}

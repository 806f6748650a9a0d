public import ByteReading

/// The first bytes of each file of a shared cache: `dyld_v1`, spaces, the architecture, a zero.
///
/// The architecture is not read here: new processors get new names, and each image has its own.
public enum CacheMagic {
    /// The number of bytes needed to recognise a file of a cache.
    public static let length = 7

    /// Whether the file begins like a shared cache of any version: `dyld_v` and a digit.
    public static func begins(_ file: FileBytes) -> Bool {
        begins(start(of: file))
    }

    /// Whether the first bytes of a file are those of a shared cache of any version.
    public static func begins(_ bytes: some Collection<UInt8>) -> Bool {
        let bytes = Array(bytes.prefix(length))
        guard bytes.count == length, bytes.starts(with: anyVersion) else { return false }
        return (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[length - 1])
    }

    static func isSupported(_ file: FileBytes) -> Bool { start(of: file) == version1 }

    private static func start(of file: FileBytes) -> [UInt8] {
        file.withSpan(of: 0..<min(file.count, length)) { bytes in bytes.indices.map { bytes[$0] } }
    }

    private static let anyVersion = Array("dyld_v".utf8)
    private static let version1 = Array("dyld_v1".utf8)
}

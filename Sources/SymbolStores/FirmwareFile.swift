import Archives
import ByteReading

/// Firmware files, which contain shared caches that cannot be read in place: IPSW and OTA archives,
/// disk images, and encrypted archives.
enum FirmwareFile {
    /// Whether a file is firmware, by its first or last bytes, or by the names in its directory.
    static func recognises(_ path: String) -> Bool {
        guard let bytes = try? MappedFile.bytes(of: path) else { return false }
        return recognises(bytes)
    }

    /// Whether a file in a folder should be checked, by its name and first bytes.
    static func mayBe(_ path: String, start: FileSignature) -> Bool {
        start.archive == .zip || [".aea", ".dmg", ".ipsw"].contains { path.hasSuffix($0) }
    }

    static func recognises(_ bytes: FileBytes) -> Bool {
        isEncryptedArchive(bytes) || isDiskImage(bytes) || isFileSystem(bytes)
            || ZipNames(bytes)?.containsAny(of: manifests) == true
    }

    /// Returns an error that explains how to extract the cache from a firmware file.
    static func refusal(of path: String) -> SymbolStoreError {
        let quoted = path.contains { !$0.isLetter && !$0.isNumber && !"/._-,+".contains($0) }
        let argument = quoted ? "'\(path.replacing("'", with: "'\\''"))'" : path
        return SymbolStoreError(
            path, detail: "is firmware",
            suggestion: "run: ipsw extract --dyld --dyld-arch arm64e \(argument), "
                + "and give the folder that it makes")
    }

    private static let manifests: Set<String> = [
        "BuildManifest.plist", "AssetData/boot/BuildManifest.plist",
    ]

    private static func isEncryptedArchive(_ bytes: FileBytes) -> Bool {
        has("AEA1", at: 0, bytes: bytes)
    }

    /// Whether the bytes end like a disk image, in a block of 512 bytes that locates its tables.
    private static func isDiskImage(_ bytes: FileBytes) -> Bool {
        bytes.count >= 512 && has("koly", at: bytes.count - 512, bytes: bytes)
    }

    /// Whether the bytes are an APFS container.
    private static func isFileSystem(_ bytes: FileBytes) -> Bool {
        has("NXSB", at: 32, bytes: bytes)
    }

    private static func has(_ text: String, at position: Int, bytes: FileBytes) -> Bool {
        guard position >= 0, position + text.utf8.count <= bytes.count else { return false }
        return bytes.string(of: position..<position + text.utf8.count) == text
    }
}

/// The names in the central directory of a zip archive. Nothing else is read.
///
/// IPSW files are larger than 4 GiB, so the directory is found from either form of its end record
/// (APPNOTE 4.3.14 to 4.3.16).
private struct ZipNames {
    private let directory: FileBytes

    /// The maximum size of a directory in bytes; firmware has some hundred names.
    private static let directoryLimit: UInt64 = 16 << 20
    /// The size of the end record, and the maximum size of the comment after it.
    private static let endCount = 22
    private static let commentLimit = 65_535

    /// Returns `nil` if the bytes are not a zip archive.
    init?(_ bytes: FileBytes) {
        guard (try? bytes.number(UInt32.self, at: 0)) == 0x0403_4b50,
            let end = Self.end(of: bytes), let extent = try? Self.directory(bytes, end: end),
            extent.count <= Self.directoryLimit,
            let directory = try? bytes.slice(
                at: extent.offset, count: extent.count, subject: "zip directory")
        else { return nil }
        self.directory = directory
    }

    private static func end(of bytes: FileBytes) -> UInt64? {
        let last = bytes.count - endCount
        guard last >= 0 else { return nil }
        for position in stride(from: last, through: max(0, last - commentLimit), by: -1)
        where (try? bytes.number(UInt32.self, at: UInt64(position))) == 0x0605_4b50 {
            return UInt64(position)
        }
        return nil
    }

    private static func directory(
        _ bytes: FileBytes, end: UInt64
    ) throws(ReadingError) -> (offset: UInt64, count: UInt64) {
        let count = UInt64(try bytes.number(UInt32.self, at: end + 12))
        let offset = UInt64(try bytes.number(UInt32.self, at: end + 16))
        guard end >= 20, try bytes.number(UInt32.self, at: end - 20) == 0x0706_4b50 else {
            return (offset, count)
        }
        let wideEnd = try bytes.number(UInt64.self, at: end - 12)
        return (
            try bytes.number(UInt64.self, at: wideEnd &+ 48),
            try bytes.number(UInt64.self, at: wideEnd &+ 40)
        )
    }

    /// Whether the archive has an entry with one of the names.
    func containsAny(of names: Set<String>) -> Bool {
        var position: UInt64 = 0
        while let name = try? name(at: &position) {
            if names.contains(name) { return true }
        }
        return false
    }

    private func name(at position: inout UInt64) throws(ReadingError) -> String {
        guard try directory.number(UInt32.self, at: position) == 0x0201_4b50 else {
            throw ReadingError(.malformed("is not an entry"), in: directory.subject, at: position)
        }
        let count = UInt64(try directory.number(UInt16.self, at: position + 28))
        let extra = UInt64(try directory.number(UInt16.self, at: position + 30))
        let comment = UInt64(try directory.number(UInt16.self, at: position + 32))
        let start = position + 46
        try directory.check(count, at: start)
        position = start + count + extra + comment
        return directory.string(of: Int(start)..<Int(start + count))
    }
}

import Archives
import ByteReading
import CallStacks
import DebugFiles
import SymbolIndexes

/// The file format: magic, checksum of the rest, number of findings, findings. Numbers are
/// little-endian. The file is derived data, so a reader supports only one version and ignores
/// others.
extension FileHeaderCache {
    private static let magic: UInt64 = 0x0004_564e_494d_5953
    private static let headerLength = 16

    /// Decodes a file. Returns `nil` if the bytes are damaged or of another version.
    init?(_ bytes: FileBytes, now: Int64) {
        do throws(ReadingError) {
            var cursor = ByteCursor(bytes)
            guard try cursor.number(UInt64.self) == Self.magic else { return nil }
            let checksum = try cursor.number(UInt32.self)
            let count = try cursor.number(UInt32.self)
            let body = bytes.withSpan(of: Self.headerLength..<bytes.count) { CRC32C.of($0) }
            guard body == checksum else { return nil }
            var findings: [(FileStatus, Finding)] = []
            for _ in 0..<count {
                let status = try FileStatus(&cursor)
                findings.append((status, try Finding(&cursor)))
            }
            self.init(of: findings, now: now)
        } catch { return nil }
    }

    /// Returns the findings that this run used.
    ///
    /// - Parameter limit: The size limit in bytes. Findings beyond it are dropped, and read again
    ///   later.
    func encoded(limit: Int) -> [UInt8] {
        var body: [UInt8] = []
        var count: UInt32 = 0
        for (status, finding) in usedFindings {
            let start = body.count
            status.encode(to: &body)
            finding.encode(to: &body)
            guard body.count + Self.headerLength <= limit else {
                body.removeSubrange(start...)
                break
            }
            count += 1
        }
        var bytes: [UInt8] = []
        bytes.append(number: Self.magic)
        bytes.append(number: CRC32C.of(body.span))
        bytes.append(number: count)
        return bytes + body
    }
}

extension FileStatus {
    fileprivate init(_ cursor: inout ByteCursor) throws(ReadingError) {
        let isFolder = try cursor.number(UInt8.self) != 0
        self.init(
            kind: isFolder ? .folder : .file, size: try cursor.number(Int64.self),
            modifiedSeconds: try cursor.number(Int64.self),
            modifiedNanoseconds: try cursor.number(Int64.self),
            changedSeconds: try cursor.number(Int64.self),
            changedNanoseconds: try cursor.number(Int64.self),
            device: try cursor.number(UInt64.self), inode: try cursor.number(UInt64.self))
    }

    fileprivate func encode(to bytes: inout [UInt8]) {
        bytes.append(kind == .folder ? 1 : 0)
        for number in [
            size, modifiedSeconds, modifiedNanoseconds, changedSeconds, changedNanoseconds,
        ] {
            bytes.append(number: number)
        }
        bytes.append(number: device)
        bytes.append(number: inode)
    }
}

extension FileHeaderCache.Finding {
    private enum Tag {
        static let folder: UInt8 = 0
        static let file: UInt8 = 1
        static let fileWithSlices: UInt8 = 2
    }

    fileprivate init(_ cursor: inout ByteCursor) throws(ReadingError) {
        switch try cursor.number(UInt8.self) {
        case Tag.folder:
            var names: [String] = []
            for _ in 0..<(try cursor.number(UInt32.self)) { names.append(try cursor.text()) }
            self = .folder(names: names)
        case Tag.file:
            self = .file(try FileSignature(&cursor), slices: nil)
        default:
            let start = try FileSignature(&cursor)
            var slices: [FileHeaderCache.Slice] = []
            for _ in 0..<(try cursor.number(UInt32.self)) {
                slices.append(try FileHeaderCache.Slice(&cursor))
            }
            self = .file(start, slices: slices)
        }
    }

    fileprivate func encode(to bytes: inout [UInt8]) {
        switch self {
        case .folder(let names):
            bytes.append(Tag.folder)
            bytes.append(number: UInt32(clamping: names.count))
            for name in names { bytes += Array(name.utf8) + [0] }
        case .file(let start, nil):
            bytes.append(Tag.file)
            bytes.append(start.code)
        case .file(let start, let slices?):
            bytes.append(Tag.fileWithSlices)
            bytes.append(start.code)
            bytes.append(number: UInt32(clamping: slices.count))
            for slice in slices { slice.encode(to: &bytes) }
        }
    }
}

extension FileSignature {
    private static let codes: [Self] = [
        .empty, .other, .debugFile, .archive(.zip), .archive(.tar), .archive(.gzip), .archive(.xz),
        .archive(.zstd), .sharedCache,
    ]

    fileprivate init(_ cursor: inout ByteCursor) throws(ReadingError) {
        let code = Int(try cursor.number(UInt8.self))
        guard Self.codes.indices.contains(code)
        else { throw cursor.error(.malformed("no file begins as \(code)")) }
        self = Self.codes[code]
    }

    fileprivate var code: UInt8 { UInt8(Self.codes.firstIndex(of: self) ?? 1) }
}

extension FileHeaderCache.Slice {
    fileprivate init(_ cursor: inout ByteCursor) throws(ReadingError) {
        var bytes: [UInt8] = []
        for _ in 0..<(try cursor.number(UInt8.self)) {
            bytes.append(try cursor.number(UInt8.self))
        }
        image = ImageID(bytes: bytes)
        architecture = Architecture(
            cpuType: try cursor.number(UInt32.self), cpuSubtype: try cursor.number(UInt32.self))
        byteCount = Int(clamping: try cursor.number(UInt64.self))
        hasDebugInformation = try cursor.number(UInt8.self) != 0
        splitUnits = SplitUnitsKind(rawValue: try cursor.number(UInt8.self))
    }

    fileprivate func encode(to bytes: inout [UInt8]) {
        let id = image?.bytes ?? []
        bytes.append(UInt8(clamping: id.count))
        bytes += id
        bytes.append(number: architecture.cpuType)
        bytes.append(number: architecture.cpuSubtype)
        bytes.append(number: UInt64(byteCount))
        bytes.append(hasDebugInformation ? 1 : 0)
        bytes.append(splitUnits?.rawValue ?? 0)
    }
}

extension [UInt8] {
    fileprivate mutating func append(number: some FixedWidthInteger) {
        for shift in stride(from: 0, to: number.bitWidth, by: 8) {
            append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}

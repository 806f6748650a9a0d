private import CLibArchive
private import Glibc

/// An archive opened with libarchive, closed exactly once.
///
/// libarchive converts names to the encoding of the thread's locale, so each step runs in a UTF-8
/// locale. In the `C` locale it would reject names that are not ASCII.
@safe
struct ArchiveReader: ~Copyable {
    /// The header of an entry.
    struct Header {
        enum Kind { case file, folder, link, device }

        /// The name as stored; empty if there is none.
        let name: [UInt8]
        let kind: Kind
        let isEncrypted: Bool
    }

    private let handle: OpaquePointer
    private let locale: UTF8Locale
    private let source: ArchiveSource
    /// Whether entries can be skipped without unpacking them.
    let skipsFreely: Bool
    /// Whether damage prevents libarchive from continuing.
    private(set) var isBroken = false

    /// A zip archive is read through the directory at its end, which is authoritative. A truncated
    /// one is read through the headers before its entries.
    private init(_ source: ArchiveSource) throws(ArchiveError.Reason) {
        guard let handle = unsafe archive_read_new(), let locale = UTF8Locale()
        else { throw .unreadable("no memory") }
        unsafe self.handle = handle
        self.locale = locale
        self.source = source
        skipsFreely = source.kind == .tar || (source.kind == .zip && !source.isTruncated)
        unsafe Self.allow(source, on: handle)
    }

    static func open(_ source: ArchiveSource) throws(ArchiveError.Reason) -> ArchiveReader {
        let reader = try ArchiveReader(source)
        let result =
            switch source.bytes {
            case .file(let file):
                unsafe archive_read_open_filename(
                    reader.handle, SystemPath.bytes(of: file.path), blockSize)
            case .memory(let held):
                unsafe archive_read_open_memory(reader.handle, held.start, held.count)
            }
        // If unpacking the first bytes fails, libarchive treats the archive as empty.
        let hasFailed = unsafe archive_error_string(reader.handle) != nil
        // It does not recognise an archive without entries, which is not read any further.
        guard result == ARCHIVE_OK && !hasFailed || source.isEmpty else { throw reader.damage() }
        return reader
    }

    deinit { unsafe archive_read_free(handle) }

    /// Allows only the detected kind, one layer deep. Other layers count as archives inside.
    @unsafe
    private static func allow(_ source: ArchiveSource, on handle: OpaquePointer) {
        switch source.kind {
        case .zip where source.isTruncated:
            unsafe archive_read_support_format_zip_streamable(handle)
        case .zip: unsafe archive_read_support_format_zip_seekable(handle)
        case .tar: unsafe archive_read_support_format_tar(handle)
        case .gzip: unsafe allow(filter: ARCHIVE_FILTER_GZIP, on: handle)
        case .xz: unsafe allow(filter: ARCHIVE_FILTER_XZ, on: handle)
        case .zstd: unsafe allow(filter: ARCHIVE_FILTER_ZSTD, on: handle)
        }
    }

    @unsafe
    private static func allow(filter: Int32, on handle: OpaquePointer) {
        unsafe archive_read_append_filter(handle, filter)
        unsafe archive_read_support_format_tar(handle)
        unsafe archive_read_support_format_empty(handle)
        unsafe archive_read_support_format_raw(handle)
    }

    /// Whether the input is a single compressed file. Known after the first entry.
    var isSingleFile: Bool { unsafe archive_format(handle) == ARCHIVE_FORMAT_RAW }

    /// Returns the header of the next entry, or `nil` at the end.
    mutating func nextHeader() throws(ArchiveError.Reason) -> Header? {
        var entry: OpaquePointer?
        let result = locale.use { unsafe archive_read_next_header(handle, &entry) }
        switch result {
        case ARCHIVE_OK, ARCHIVE_WARN: return unsafe entry.map { unsafe Header($0, locale: locale) }
        case ARCHIVE_EOF: return nil
        default:
            isBroken = result == ARCHIVE_FATAL
            throw damage()
        }
    }

    /// Reads the entry's next bytes into the start of `buffer`, with holes as zeros.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    mutating func read(
        into buffer: inout [UInt8], count: Int
    ) throws(ArchiveError.Reason) -> Int {
        let result = locale.use { unsafe archive_read_data(handle, &buffer, count) }
        if result >= 0 { return result }
        isBroken = result == Int(ARCHIVE_FATAL)
        throw damage()
    }

    /// Returns the error that libarchive reports for the last failed step.
    private func damage() -> ArchiveError.Reason {
        guard let text = unsafe archive_error_string(handle) else { return .damaged("no reason") }
        let message = unsafe String(cString: text)
        let isOfEnd = source.isTruncated || message.lowercased().contains("truncated")
        return isOfEnd ? .truncated : .damaged(message)
    }

    private static let blockSize = 1 << 18
}

extension ArchiveReader.Header {
    @unsafe
    fileprivate init(_ entry: OpaquePointer, locale: UTF8Locale) {
        name = locale.use {
            let text = unsafe archive_entry_pathname(entry) ?? archive_entry_pathname_utf8(entry)
            guard let text = unsafe text else { return [] }
            return unsafe UnsafeRawBufferPointer(start: text, count: strlen(text)).map(\.self)
        }
        let fileType = unsafe archive_entry_filetype(entry) & S_IFMT
        kind =
            switch fileType {
            case _ where unsafe archive_entry_hardlink(entry) != nil: .link
            case S_IFREG: .file
            case S_IFDIR: .folder
            case S_IFLNK: .link
            default: .device
            }
        isEncrypted = unsafe archive_entry_is_encrypted(entry) != 0
    }
}

/// A UTF-8 locale for the thread that calls libarchive.
@safe
fileprivate final class UTF8Locale {
    private let locale: locale_t

    init?() {
        guard let locale = unsafe newlocale(LC_CTYPE_MASK, "C.UTF-8", nil) else { return nil }
        unsafe self.locale = locale
    }

    deinit { unsafe freelocale(locale) }

    func use<Value>(_ body: () -> Value) -> Value {
        let previous = unsafe uselocale(locale)
        defer { unsafe _ = uselocale(previous) }
        return body()
    }
}

private import CLibArchive
private import Glibc

/// Compresses bytes into an open file, as one zstd frame (RFC 8878).
@safe
public struct ZstdWriter: ~Copyable {
    private let handle: OpaquePointer

    /// - Parameter descriptor: The file's descriptor, which stays open.
    public static func open(_ descriptor: Int32) throws(ArchiveError.Reason) -> ZstdWriter {
        let writer = try ZstdWriter()
        try unsafe writer.check(archive_write_open_fd(writer.handle, descriptor))
        let entry = unsafe archive_entry_new()
        defer { unsafe archive_entry_free(entry) }
        unsafe archive_entry_set_filetype(entry, S_IFREG)
        unsafe archive_entry_set_pathname(entry, "data")
        try unsafe writer.check(archive_write_header(writer.handle, entry))
        return writer
    }

    private init() throws(ArchiveError.Reason) {
        guard let handle = unsafe archive_write_new() else { throw .unwritable("no memory") }
        unsafe self.handle = handle
        unsafe archive_write_set_format_raw(handle)
        unsafe archive_write_add_filter_zstd(handle)
        // No padding of the last block.
        unsafe archive_write_set_bytes_in_last_block(handle, 1)
    }

    deinit { unsafe archive_write_free(handle) }

    public mutating func append(_ bytes: Span<UInt8>) throws(ArchiveError.Reason) {
        let written = unsafe bytes.withUnsafeBytes { bytes in
            unsafe archive_write_data(handle, bytes.baseAddress, bytes.count)
        }
        guard written == bytes.count else { throw failure() }
    }

    /// Writes the remaining bytes. Only then is the file complete.
    public consuming func finish() throws(ArchiveError.Reason) {
        try unsafe check(archive_write_close(handle))
    }

    private func check(_ result: Int32) throws(ArchiveError.Reason) {
        if result != ARCHIVE_OK { throw failure() }
    }

    private func failure() -> ArchiveError.Reason {
        if unsafe archive_errno(handle) == ENOSPC { return .diskFull }
        let text = unsafe archive_error_string(handle).map { unsafe String(cString: $0) }
        return .unwritable(text?.lowercased() ?? "no reason")
    }
}

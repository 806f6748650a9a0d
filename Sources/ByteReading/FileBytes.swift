private import Glibc

/// A part of a file in memory, with bounds-checked access.
///
/// It retains the owner of its memory: an array, or a mapping that is closed when the last
/// `FileBytes` over it is freed. Copies are cheap and share the bytes.
@safe
public struct FileBytes: @unchecked Sendable {
    @usableFromInline
    let start: UnsafeRawPointer
    public let count: Int
    private let owner: any BytesOwner
    /// The name of these bytes in errors: a section's name, or `file`.
    public let subject: String

    /// Bytes of a mapping that `owner` keeps valid.
    @unsafe
    public init(
        mapped start: UnsafeRawPointer, count: Int, owner: any BytesOwner,
        subject: String = "file"
    ) {
        unsafe self.start = start
        self.count = count
        self.owner = owner
        self.subject = subject
    }

    /// A copy of bytes in memory.
    public init(_ bytes: some Collection<UInt8>, subject: String = "file") {
        let owner = OwnedBytes(bytes)
        unsafe self.init(
            mapped: UnsafeRawPointer(owner.start), count: owner.count, owner: owner,
            subject: subject)
    }

    /// Bytes that `fill` writes into new storage. `fill` gets exactly `count` zeroed bytes.
    public init<Failure: Error>(
        count: Int, subject: String,
        filledBy fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        let owner = ZeroedPages(count: count)
        unsafe try fill(UnsafeMutableRawBufferPointer(start: owner.start, count: count))
        unsafe self.init(
            mapped: UnsafeRawPointer(owner.start), count: count, owner: owner, subject: subject)
    }

    public var isEmpty: Bool { count == 0 }

    /// Returns the bytes of a range, with their own name in errors.
    public func slice(
        at offset: UInt64, count size: UInt64, subject: String
    ) throws(ReadingError) -> FileBytes {
        try check(size, at: offset)
        return unsafe FileBytes(
            mapped: start + Int(offset), count: Int(size), owner: owner, subject: subject)
    }

    /// Returns the same bytes, with another name in errors.
    public func named(_ subject: String) -> FileBytes {
        unsafe FileBytes(mapped: start, count: count, owner: owner, subject: subject)
    }

    /// Returns the number at `offset`, which need not be aligned.
    @inlinable
    public func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, at offset: UInt64, bigEndian: Bool = false
    ) throws(ReadingError) -> Number {
        try check(UInt64(MemoryLayout<Number>.size), at: offset)
        let value = unsafe start.loadUnaligned(fromByteOffset: Int(offset), as: type)
        return bigEndian ? Number(bigEndian: value) : Number(littleEndian: value)
    }

    /// Returns the range of the zero-terminated string at `offset`, without the zero.
    ///
    /// - Parameter limit: The maximum length of the string, in bytes.
    public func textRange(
        at offset: UInt64, limit: Int
    ) throws(ReadingError) -> Range<Int> {
        try check(0, at: offset)
        let first = Int(offset)
        let window = min(count - first, limit + 1)
        let end = unsafe memchr(start + first, 0, window)
        guard let end = unsafe end else {
            throw ReadingError(
                window <= limit ? .unterminatedText : .textTooLong(limit: limit), in: subject,
                at: offset)
        }
        return unsafe first..<(UnsafeRawPointer(end) - start)
    }

    /// Throws unless there are `size` bytes at `offset`.
    @inlinable
    public func check(_ size: UInt64, at offset: UInt64) throws(ReadingError) {
        let (end, overflow) = offset.addingReportingOverflow(size)
        guard !overflow, end <= UInt64(count) else {
            let has = offset < UInt64(count) ? UInt64(count) - offset : 0
            throw ReadingError(.needs(bytes: size, has: has), in: subject, at: offset)
        }
    }

    /// Calls `body` with the bytes of `range`, which must be inside these bytes.
    public func withSpan<Result, Failure: Error>(
        of range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range leaves the bytes")
        let first = unsafe (start + range.lowerBound).assumingMemoryBound(to: UInt8.self)
        let span = unsafe Span(_unsafeStart: first, count: range.count)
        return try body(span)
    }

    /// Returns the string in `range`. Invalid UTF-8 is replaced.
    public func string(of range: Range<Int>) -> String {
        withSpan(of: range) { span in
            unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Releases the memory of `range`, which is not expected to be read again soon.
    ///
    /// The range can still be read. Bytes that do not come from a file stay in memory.
    public func release(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range leaves the bytes")
        unsafe owner.release(
            UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
    }

    /// Calls `body` with the raw bytes, for C and for readers that check bounds in their own loops.
    @unsafe
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// Keeps bytes in memory until the last ``FileBytes`` over them is freed.
public protocol BytesOwner: AnyObject, Sendable {
    /// Releases the memory of the pages that are wholly in `bytes`, if the system can reload them
    /// from a file; otherwise does nothing.
    @unsafe
    func release(_ bytes: UnsafeRawBufferPointer)
}

extension BytesOwner {
    @unsafe
    public func release(_ bytes: UnsafeRawBufferPointer) {}
}

/// Storage for a copy of bytes.
@safe
private final class OwnedBytes: BytesOwner, @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    let count: Int

    init(_ bytes: some Collection<UInt8>) {
        count = bytes.count
        guard let memory = unsafe malloc(max(count, 1)) else {
            fatalError("no memory for \(count) bytes")
        }
        unsafe start = memory
        unsafe UnsafeMutableRawBufferPointer(start: start, count: count).copyBytes(from: bytes)
    }

    deinit { unsafe free(start) }
}

/// Storage that the system zeroes page by page on first access.
///
/// Inflated sections are large, so huge pages are requested: with pages of four kilobytes, a
/// quarter of the inflating time is spent on page faults.
@safe
private final class ZeroedPages: BytesOwner, @unchecked Sendable {
    let start: UnsafeMutableRawPointer
    private let count: Int

    init(count: Int) {
        self.count = max(count, 1)
        let pages = unsafe mmap(
            nil, self.count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
            fatalError("no memory for \(count) bytes")
        }
        unsafe start = pages
        unsafe madvise(start, self.count, MADV_HUGEPAGE)
    }

    deinit { unsafe munmap(start, count) }
}

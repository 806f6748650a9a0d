private import Glibc

/// A piece of a file in memory that is read with every bound checked.
///
/// It keeps alive what it reads from: an array, or a mapping that its owner closes when the last
/// `FileBytes` over it is gone. Copies are cheap and share the bytes.
@safe
public struct FileBytes: @unchecked Sendable {
    @usableFromInline
    let start: UnsafeRawPointer
    public let count: Int
    private let owner: any BytesOwner
    /// What errors call these bytes: a section's name, or `file`.
    public let subject: String

    /// Bytes of a mapping that `owner` keeps until it is freed.
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

    /// Bytes that `fill` writes into storage of its own. `fill` gets exactly `count` zeroed bytes.
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

    /// The bytes of `range`, called `subject` from now on.
    public func slice(
        at offset: UInt64, count size: UInt64, subject: String
    ) throws(ReadingError) -> FileBytes {
        try check(size, at: offset)
        return unsafe FileBytes(
            mapped: start + Int(offset), count: Int(size), owner: owner, subject: subject)
    }

    /// The same bytes under another name in errors.
    public func named(_ subject: String) -> FileBytes {
        unsafe FileBytes(mapped: start, count: count, owner: owner, subject: subject)
    }

    /// The number at `offset`, which need not be aligned.
    @inlinable
    public func number<Number: FixedWidthInteger & BitwiseCopyable>(
        _ type: Number.Type, at offset: UInt64, bigEndian: Bool = false
    ) throws(ReadingError) -> Number {
        try check(UInt64(MemoryLayout<Number>.size), at: offset)
        let value = unsafe start.loadUnaligned(fromByteOffset: Int(offset), as: type)
        return bigEndian ? Number(bigEndian: value) : Number(littleEndian: value)
    }

    /// Where the text at `offset` lies: up to the next zero, without it.
    ///
    /// - Parameter limit: The longest text that is read, in bytes.
    public func textRange(
        at offset: UInt64, limit: Int = 1 << 16
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

    /// Throws unless `size` bytes lie at `offset`.
    @inlinable
    public func check(_ size: UInt64, at offset: UInt64) throws(ReadingError) {
        let (end, overflow) = offset.addingReportingOverflow(size)
        guard !overflow, end <= UInt64(count) else {
            let has = offset < UInt64(count) ? UInt64(count) - offset : 0
            throw ReadingError(.needs(bytes: size, has: has), in: subject, at: offset)
        }
    }

    /// Calls `body` with the bytes of `range`, which must lie inside.
    public func withSpan<Result, Failure: Error>(
        of range: Range<Int>, _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range leaves the bytes")
        let first = unsafe (start + range.lowerBound).assumingMemoryBound(to: UInt8.self)
        let span = unsafe Span(_unsafeStart: first, count: range.count)
        return try body(span)
    }

    /// The text of `range` as a string; what is not UTF-8 is replaced.
    public func string(of range: Range<Int>) -> String {
        withSpan(of: range) { span in
            unsafe span.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
        }
    }

    /// Says that `range` will hardly be read again, so that its memory can serve for something else.
    ///
    /// It can still be read. Bytes that come from no file stay where they are.
    public func release(_ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= count, "range leaves the bytes")
        unsafe owner.release(
            UnsafeRawBufferPointer(start: start + range.lowerBound, count: range.count))
    }

    /// Calls `body` with the raw bytes, for readers whose loops check bounds themselves and for C.
    @unsafe
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe try body(UnsafeRawBufferPointer(start: start, count: count))
    }
}

/// What keeps bytes in memory until the last ``FileBytes`` over them is gone.
public protocol BytesOwner: AnyObject, Sendable {
    /// Gives back the memory of the pages that lie wholly in `bytes`, if the system can fill them
    /// again from a file; else does nothing.
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

/// Storage that the system fills with zeros, page by page as they are touched.
///
/// Inflated sections are large, so large pages are asked for: with those of four kilobytes a quarter
/// of the time of inflating goes into finding them.
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

import ByteReading
import Synchronization

/// The checksums of an index, one per chunk of the file, with a mark for each verified chunk.
///
/// A chunk is verified once, when a lookup first reads a byte of it; later reads only check its
/// mark. This type does not keep the file alive. Its owner must do so, and must finally call
/// ``deallocate()``.
@safe
struct IndexChunks: @unchecked Sendable {
    private let start: UnsafeRawPointer
    /// The number of bytes between the end of the header and the start of the checksums.
    private let byteCount: Int
    private let checksums: UnsafeRawPointer
    private let count: Int
    /// A mark per chunk, 1 if it is verified.
    private let marks: UnsafeMutablePointer<Atomic<UInt8>>

    /// - Parameter bytes: The whole file. The header's sections must be inside.
    @unsafe
    init(_ bytes: UnsafeRawBufferPointer, header: IndexHeader) {
        let end = Int(header[.checksums].offset)
        precondition(
            end + Int(header[.checksums].length) <= bytes.count, "checksums leave the file")
        let file = unsafe bytes.baseAddress.unsafelyUnwrapped
        unsafe start = file + IndexLayout.headerSize
        byteCount = end - IndexLayout.headerSize
        unsafe checksums = file + end
        count = Self.count(inFirst: header[.checksums].offset)
        unsafe marks = .allocate(capacity: count)
        for chunk in 0..<count { unsafe (marks + chunk).initialize(to: Atomic(0)) }
    }

    func deallocate() {
        unsafe marks.deinitialize(count: count)
        unsafe marks.deallocate()
    }

    /// Verifies the chunks of a range of a section, unless they are already verified.
    ///
    /// - Throws: ``SymbolIndexError`` if the range exceeds the section, or a chunk differs from its
    ///   checksum.
    @inline(__always)
    func verify(_ range: Range<Int>, of section: SectionBytes) throws(SymbolIndexError) {
        guard range.lowerBound >= 0, range.upperBound <= section.count else {
            throw section.corrupt(at: range.lowerBound)
        }
        guard !range.isEmpty else { return }
        // Sections end before the checksums start, so both chunks have a mark.
        let first = (section.origin &+ range.lowerBound) >> IndexLayout.chunkShift
        let last = (section.origin &+ range.upperBound &- 1) >> IndexLayout.chunkShift
        if last &- first <= 1, isMarked(first), isMarked(last) { return }
        try compare(first...last, section: section.section)
    }

    @inline(__always)
    private func isMarked(_ chunk: Int) -> Bool {
        unsafe marks[chunk].load(ordering: .relaxed) != 0
    }

    @inline(never)
    private func compare(
        _ chunks: ClosedRange<Int>, section: IndexSection
    ) throws(SymbolIndexError) {
        for chunk in chunks where !isMarked(chunk) {
            guard isSound(chunk) else { throw SymbolIndexError(.checksum(section)) }
            unsafe marks[chunk].store(1, ordering: .relaxed)
        }
    }

    /// Whether the current bytes of a chunk match its checksum.
    private func isSound(_ chunk: Int) -> Bool {
        let position = chunk << IndexLayout.chunkShift
        let size = min(byteCount - position, 1 << IndexLayout.chunkShift)
        let bytes = unsafe UnsafeRawBufferPointer(start: start + position, count: size)
        let stated = unsafe checksums.loadUnaligned(fromByteOffset: chunk * 4, as: UInt32.self)
        return unsafe CRC32C.of(bytes.assumingMemoryBound(to: UInt8.self).span)
            == UInt32(littleEndian: stated)
    }

    /// Returns the file offset of the first chunk that differs from its checksum, or `nil` if all
    /// match.
    func firstDamage() -> UInt64? {
        (0..<count).first { !isSound($0) }.map {
            UInt64(IndexLayout.headerSize + $0 << IndexLayout.chunkShift)
        }
    }
}

extension IndexChunks {
    /// Returns the number of chunks in the first bytes of a file.
    static func count(inFirst byteCount: UInt64) -> Int {
        let size = 1 << IndexLayout.chunkShift
        return (Int(byteCount) - IndexLayout.headerSize + size - 1) / size
    }

    /// Returns the checksums of all bytes after the header.
    static func checksums(of file: Span<UInt8>) -> [UInt32] {
        (0..<count(inFirst: UInt64(file.count))).map { chunk in
            let position = IndexLayout.headerSize + chunk << IndexLayout.chunkShift
            let end = min(position + 1 << IndexLayout.chunkShift, file.count)
            return CRC32C.of(file.extracting(position..<end))
        }
    }
}

/// A buffer for a text, large enough for the longest one.
@safe
struct TextBuffer {
    /// The size for a name in bytes, including what is written beyond it for speed.
    static let name = IndexLimits.nameBytes + chunk
    /// The size of the pieces in which texts are copied. The last one may extend beyond the text.
    private static let chunk = MemoryLayout<SIMD64<UInt8>>.size

    private let start: UnsafeMutableRawPointer
    private let count: Int

    @unsafe
    @inline(__always)
    init(_ buffer: UnsafeMutableBufferPointer<UInt8>) {
        unsafe start = UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped)
        count = buffer.count
    }

    /// Copies `range` of a section to `position`. Most texts fit into one piece.
    @inline(__always)
    func copy(
        _ range: Range<Int>, of section: SectionBytes, to position: Int
    ) throws(SymbolIndexError) {
        guard range.lowerBound >= 0, range.upperBound <= section.count else {
            throw section.corrupt(at: range.lowerBound)
        }
        precondition(
            position >= 0 && position + range.count + Self.chunk <= count, "text leaves its room")
        let from = unsafe section.pointer + range.lowerBound
        let to = unsafe start + position
        guard range.upperBound + Self.chunk <= section.count else {
            unsafe to.copyMemory(from: from, byteCount: range.count)
            return
        }
        var done = 0
        repeat {
            let piece = unsafe from.loadUnaligned(fromByteOffset: done, as: SIMD64<UInt8>.self)
            unsafe to.storeBytes(of: piece, toByteOffset: done, as: SIMD64<UInt8>.self)
            done &+= Self.chunk
        } while done < range.count
    }

    func string(count: Int) -> String {
        precondition(count <= self.count, "text leaves its room")
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

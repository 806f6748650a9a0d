/// Where a text is copied to: memory that is as large as the longest one needs.
@safe
struct TextRoom {
    /// How many bytes a name may take, with what is written beyond it for speed.
    static let name = IndexLimits.nameBytes + chunk
    /// How many bytes a folder, a separator and a file's name may take.
    static let path = 2 * IndexLimits.pathBytes + 1 + chunk
    /// Texts are copied in pieces of so many bytes, the last of which may end behind the text.
    private static let chunk = MemoryLayout<SIMD64<UInt8>>.size

    private let start: UnsafeMutableRawPointer
    private let count: Int

    /// The bytes of `buffer` from `place` on.
    @unsafe
    @inline(__always)
    init(_ buffer: UnsafeMutableBufferPointer<UInt8>, from place: Int) {
        precondition(place >= 0 && place < buffer.count, "no room for a text")
        unsafe start = UnsafeMutableRawPointer(buffer.baseAddress.unsafelyUnwrapped + place)
        count = buffer.count - place
    }

    /// Copies `range` of a section to `place`. Most texts fit one piece.
    @inline(__always)
    func copy(
        _ range: Range<Int>, of section: SectionBytes, to place: Int
    ) throws(SymbolIndexError) {
        guard range.lowerBound >= 0, range.upperBound <= section.count else {
            throw section.corrupt(at: range.lowerBound)
        }
        precondition(
            place >= 0 && place + range.count + Self.chunk <= count, "text leaves its room")
        let from = unsafe section.pointer + range.lowerBound
        let to = unsafe start + place
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

    @inline(__always)
    func put(_ byte: UInt8, at place: Int) {
        precondition(place >= 0 && place < count, "byte leaves its room")
        unsafe start.storeBytes(of: byte, toByteOffset: place, as: UInt8.self)
    }

    @inline(__always)
    func byte(at place: Int) -> UInt8 {
        precondition(place >= 0 && place < count, "byte leaves its room")
        return unsafe start.load(fromByteOffset: place, as: UInt8.self)
    }

    /// Whether one of the first bytes is `byte`.
    @inline(__always)
    func holds(_ byte: UInt8, inFirst count: Int) -> Bool {
        (0..<min(count, self.count)).contains { self.byte(at: $0) == byte }
    }

    func string(count: Int) -> String {
        precondition(count <= self.count, "text leaves its room")
        return unsafe String(
            decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

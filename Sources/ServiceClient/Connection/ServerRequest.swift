import NIOCore
import NIOHTTP1

/// A request that can be sent repeatedly.
struct ServerRequest: Sendable {
    enum Body: Sendable {
        case none
        case json([UInt8])
        case file(CompressedCopy)
    }

    var method: HTTPMethod
    /// The path, percent-encoded.
    var path: String
    var query: [(name: String, value: String)] = []
    var body = Body.none
    /// Called with the size of each piece passed to the network, again for a retry.
    var onProgress: @Sendable (Int) -> Void = { _ in }
}

extension CompressedCopy {
    /// The bytes in pieces, read as the network accepts them.
    struct Pieces: AsyncSequence, Sendable {
        let file: CompressedCopy
        let onProgress: @Sendable (Int) -> Void

        struct Iterator: AsyncIteratorProtocol {
            let pieces: Pieces
            var offset: Int64 = 0

            mutating func next() async throws -> ByteBuffer? {
                let bytes = try pieces.file.bytes(at: offset, count: 1 << 17)
                guard !bytes.isEmpty else { return nil }
                offset += Int64(bytes.count)
                pieces.onProgress(bytes.count)
                return ByteBuffer(bytes: bytes)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(pieces: self) }
    }
}

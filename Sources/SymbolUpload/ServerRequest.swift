import NIOCore
import NIOHTTP1

/// One request, which can be sent more than once.
struct ServerRequest: Sendable {
    enum Body: Sendable {
        case none
        case json([UInt8])
        case file(PackedFile)
    }

    var method: HTTPMethod
    /// With escapes where it needs them.
    var path: String
    var query: [(name: String, value: String)] = []
    var body = Body.none
    /// Told how much of a file has been handed to the network, piece by piece; a retry begins anew
    /// and tells all of it again.
    var onProgress: @Sendable (Int) -> Void = { _ in }
}

extension PackedFile {
    /// The bytes in pieces, as the network takes them.
    struct Pieces: AsyncSequence, Sendable {
        let file: PackedFile
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

import AsyncHTTPClient
import Crypto
import HexadecimalDigits
import NIOCore

/// The body of a request, in memory or in a range of a file, with its digest.
struct RequestBody: Sendable {
    enum Source: Sendable {
        case memory(ByteBuffer)
        case file(ReadableFile, detail: Range<Int64>)
    }

    let source: Source
    let byteCount: Int64
    /// The SHA-256 in hexadecimal.
    let digest: String

    static let empty = RequestBody([])

    init(_ bytes: [UInt8]) {
        source = .memory(ByteBuffer(bytes: bytes))
        byteCount = Int64(bytes.count)
        digest = SHA256.hash(data: bytes).hexadecimal
    }

    /// Reads the range once for its digest. If the file changes before it is sent, the server
    /// rejects the body.
    ///
    /// - Throws: ``ObjectStorageError`` if it cannot be read.
    init(_ file: ReadableFile, range: Range<Int64>) throws(ObjectStorageError) {
        source = .file(file, detail: range)
        byteCount = range.upperBound - range.lowerBound
        var hash = SHA256()
        var rest = range
        while let piece = Self.nextPiece(of: &rest) {
            let bytes = try file.bytes(in: piece)
            unsafe bytes.withUnsafeReadableBytes { unsafe hash.update(bufferPointer: $0) }
        }
        digest = hash.finalize().hexadecimal
    }

    /// The maximum size of a piece in memory, in bytes.
    ///
    /// A body is also sent in pieces because the timeout applies to the time between two pieces.
    static let pieceLimit: Int64 = 256 << 10

    /// Removes the next piece from a range, or returns `nil` at the end.
    static func nextPiece(of rest: inout Range<Int64>) -> Range<Int64>? {
        guard !rest.isEmpty else { return nil }
        let middle = min(rest.lowerBound + pieceLimit, rest.upperBound)
        defer { rest = middle..<rest.upperBound }
        return rest.lowerBound..<middle
    }

    /// The body in the HTTP client's form, or `nil` if it is empty.
    var sent: HTTPClientRequest.Body? {
        byteCount == 0 ? nil : .stream(RequestPieces(source: source), length: .known(byteCount))
    }
}

/// The pieces of a body, read as they are sent.
struct RequestPieces: AsyncSequence, Sendable {
    let source: RequestBody.Source

    struct Iterator: AsyncIteratorProtocol {
        let source: RequestBody.Source
        var rest: Range<Int64>

        mutating func next() async throws -> ByteBuffer? {
            guard let piece = RequestBody.nextPiece(of: &rest) else { return nil }
            switch source {
            case .memory(let buffer):
                return buffer.getSlice(at: Int(piece.lowerBound), length: piece.count)
            case .file(let file, detail: _): return try file.bytes(in: piece)
            }
        }
    }

    func makeAsyncIterator() -> Iterator {
        switch source {
        case .memory(let buffer):
            Iterator(source: source, rest: 0..<Int64(buffer.readableBytes))
        case .file(_, detail: let range): Iterator(source: source, rest: range)
        }
    }
}

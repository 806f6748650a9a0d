import Decompression
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// The whole body, inflated if the client compressed it.
    ///
    /// - Parameter limit: In bytes, before and after inflating.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        try await withBytes(upTo: limit, in: BodyRoom(limit: limit * 2)) { $0 }
    }

    /// Calls `use` with the whole body, for which there is room as long as `use` takes.
    ///
    /// - Parameter limit: In bytes, before and after inflating.
    func withBytes<Value>(
        upTo limit: Int, in room: BodyRoom, _ use: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        let coding = try contentCoding
        // What says beforehand that it is too large is not read first.
        if let declared = declaredByteCount, declared > limit {
            throw RequestError.tooLarge("body", limit: limit)
        }
        var taken = 0
        defer { room.giveBack(taken) }
        func take(_ count: Int) throws {
            try room.take(count)
            taken += count
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(declaredByteCount.map(Int.init) ?? 0, 1 << 20))
        for try await piece in body {
            guard bytes.count + piece.readableBytes <= limit
            else { throw RequestError.tooLarge("body", limit: limit) }
            try take(piece.readableBytes)
            bytes += piece.readableBytesView
        }
        if let coding {
            bytes = try CompressedBody(bytes, coding: coding).inflated(limit: limit)
            try take(max(bytes.count - taken, 0))
        }
        return try await use(bytes)
    }

    /// How the client compressed the body; `nil` for not at all.
    var contentCoding: ContentCoding? {
        get throws {
            guard let name = headers[.contentEncoding], name.lowercased() != "identity"
            else { return nil }
            guard let coding = ContentCoding(name: name) else {
                throw RequestError(
                    .unsupportedMediaType, "unknown_encoding",
                    "Content-Encoding: '\(name)' is not known: send gzip, deflate, zstd or none")
            }
            return coding
        }
    }

    /// `Content-Length`, in bytes.
    var declaredByteCount: Int64? { headers[.contentLength].flatMap { Int64($0) } }
}

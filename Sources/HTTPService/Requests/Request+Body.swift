import Decompression
import HTTPTypes
import Hummingbird
import NIOCore
import Problems

extension Request {
    /// Returns the whole body, decompressed if necessary.
    ///
    /// - Parameter limit: The largest body, in bytes, before and after decompression.
    func bytes(limit: Int) async throws -> [UInt8] {
        try await withBytes(limit: limit, memory: RequestMemoryBudget(limit: limit * 2)) { $0 }
    }

    /// Calls `use` with the whole body, decompressed if necessary, and reserves memory for it until
    /// `use` returns.
    ///
    /// - Parameter limit: The largest body, in bytes, before and after decompression.
    func withBytes<Value>(
        limit: Int, memory: RequestMemoryBudget, _ use: ([UInt8]) async throws -> Value
    ) async throws -> Value {
        let (bytes, reservation) = try await reservedBytes(limit: limit, memory: memory)
        defer { withExtendedLifetime(reservation) {} }
        return try await use(bytes)
    }

    /// Returns the whole body, decompressed if necessary, and the reservation of its memory. Keep
    /// the reservation as long as the body and values that refer to it.
    ///
    /// - Parameter limit: The largest body, in bytes, before and after decompression.
    func reservedBytes(
        limit: Int, memory: RequestMemoryBudget
    ) async throws -> (bytes: [UInt8], reservation: MemoryReservation) {
        let coding = try contentCoding
        // Rejects a body with a declared size over the limit before reading it.
        if let declared = declaredByteCount, declared > limit {
            throw RequestError.tooLarge("body", limit: limit)
        }
        let reservation = MemoryReservation(in: memory)
        var bytes: [UInt8] = []
        bytes.reserveCapacity(min(declaredByteCount.map(Int.init) ?? 0, 1 << 20))
        for try await piece in body {
            guard bytes.count + piece.readableBytes <= limit
            else { throw RequestError.tooLarge("body", limit: limit) }
            try reservation.add(piece.readableBytes)
            bytes += piece.readableBytesView
        }
        if let coding {
            let received = bytes.count
            bytes = try CompressedBody(bytes, coding: coding).inflated(limit: limit)
            try reservation.add(max(bytes.count - received, 0))
        }
        return (bytes, reservation)
    }

    /// The coding of the body, or `nil` if it is not compressed.
    var contentCoding: ContentCoding? {
        get throws {
            guard let name = headers[.contentEncoding], name.lowercased() != "identity"
            else { return nil }
            guard let coding = ContentCoding(name: name) else {
                throw RequestError(
                    .unsupportedMediaType, "unknown_encoding",
                    Problem(
                        "Content-Encoding", detail: "'\(name)' is not supported",
                        suggestion: "use gzip, deflate, zstd or none"))
            }
            return coding
        }
    }

    /// The value of `Content-Length`, in bytes, or `nil` if it is missing.
    var declaredByteCount: Int64? { headers[.contentLength].flatMap { Int64($0) } }
}

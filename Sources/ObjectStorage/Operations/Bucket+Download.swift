import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension Bucket {
    /// Downloads an object to a file. The file appears under its name only when it is complete and
    /// verified.
    ///
    /// Until then it is in the same folder, under a name that ends in `.download`.
    ///
    /// - Parameters:
    ///   - path: The path of the file; an existing one is replaced.
    ///   - digest: The content that the object must have.
    /// - Throws: ``ObjectStorageError``: `wrongBytes` if the content differs, `notFound` if there
    ///   is no such object; or `CancellationError`.
    public func download(
        _ key: ObjectKey, to path: String, expecting digest: ObjectDigest
    ) async throws {
        var request = StorageRequest(.GET, key: key)
        request.responseBytes = digest.byteCount
        try await connection.send(request) { response in
            var draft = try FileDraft(of: path)
            for try await piece in response.body {
                try draft.append(piece, limit: digest.byteCount)
            }
            try draft.finish(expecting: digest)
        }
    }

    /// Returns the bytes of an object in a range.
    ///
    /// - Parameters:
    ///   - range: The positions in bytes, which the object must have. The result is in memory.
    ///   - digest: The content that the range must have, or `nil` if the caller checks it.
    /// - Throws: ``ObjectStorageError``: `wrongBytes` if the content differs, `notFound` if there
    ///   is no such object; or `CancellationError`.
    public func bytes(
        of key: ObjectKey, in range: Range<Int64>, expecting digest: ObjectDigest? = nil
    ) async throws -> [UInt8] {
        try await bytes(of: key, in: range) { bytes in
            digest.map { $0 == ObjectDigest(of: bytes) } ?? true
        }
    }

    /// Returns the bytes of an object in a range.
    ///
    /// - Parameters:
    ///   - range: The positions in bytes, which the object must have. The result is in memory.
    ///   - isExpected: Returns whether the content is as expected. If not, the range is requested
    ///     again.
    /// - Throws: ``ObjectStorageError``: `wrongBytes` if the content differs or the object ends
    ///   before the range does, `notFound` if there is no such object; or `CancellationError`.
    public func bytes(
        of key: ObjectKey, in range: Range<Int64>,
        where isExpected: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws -> [UInt8] {
        precondition(range.lowerBound >= 0, "range: negative")
        guard !range.isEmpty else { return [] }
        var request = StorageRequest(.GET, key: key)
        let last = range.upperBound - 1
        request.headers["range"] = "bytes=\(range.lowerBound)-\(last)"
        request.responseBytes = Int64(range.count)
        return try await connection.send(request) { response in
            let found = response.headers.first(name: "content-range") ?? "the whole object"
            guard found.hasPrefix("bytes \(range.lowerBound)-\(last)/") else {
                // If the object ends within the range, servers send only the start of the range.
                throw found.hasPrefix("bytes \(range.lowerBound)-")
                    ? AttemptFailure.wrongBytes("object ends within range \(range)")
                    : AttemptFailure.malformed("sent another range than requested")
            }
            let bytes = try await response.body.bytes(upTo: range.count)
            guard bytes.count == range.count, isExpected(bytes)
            else { throw AttemptFailure.wrongBytes("range \(range) has another content") }
            return bytes
        }
    }
}

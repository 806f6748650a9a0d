import AsyncHTTPClient
import NIOCore

extension HTTPClientResponse.Body {
    /// Returns all bytes of a body.
    ///
    /// - Throws: ``AttemptFailure`` if there are more than `limit`.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in self {
            guard bytes.count + piece.readableBytes <= limit else {
                throw AttemptFailure.malformed("sent more than \(limit) bytes")
            }
            bytes += piece.readableBytesView
        }
        return bytes
    }

    /// Returns the first bytes of a body, and abandons the rest.
    func firstBytes(_ limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await piece in self {
            bytes += piece.readableBytesView.prefix(limit - bytes.count)
            if bytes.count == limit { break }
        }
        return bytes
    }
}

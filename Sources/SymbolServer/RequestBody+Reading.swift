import Decompression
import HTTPTypes
import Hummingbird
import NIOCore

extension Request {
    /// The whole body, inflated if the client compressed it.
    ///
    /// - Parameter limit: In bytes, before and after inflating.
    func bytes(upTo limit: Int) async throws -> [UInt8] {
        let coding = try contentCoding
        // What says beforehand that it is too large is not read first.
        if let declared = declaredByteCount, declared > limit {
            throw RequestError.tooLarge("body", limit: limit)
        }
        let buffer: ByteBuffer
        do {
            buffer = try await body.collect(upTo: limit)
        } catch is NIOTooManyBytesError {
            throw RequestError.tooLarge("body", limit: limit)
        }
        let bytes = Array(buffer.readableBytesView)
        guard let coding else { return bytes }
        return try CompressedBody(bytes, coding: coding).inflated(limit: limit)
    }

    /// How the client compressed the body; `nil` for not at all.
    var contentCoding: ContentCoding? {
        get throws {
            guard let name = headers[.contentEncoding], name.lowercased() != "identity"
            else { return nil }
            guard let coding = ContentCoding(name: name) else {
                throw RequestError(
                    .unsupportedMediaType, "unknown_encoding",
                    "Content-Encoding: '\(name)' is not known: send gzip, deflate or none")
            }
            return coding
        }
    }

    /// `Content-Length`, in bytes.
    var declaredByteCount: Int64? { headers[.contentLength].flatMap { Int64($0) } }
}

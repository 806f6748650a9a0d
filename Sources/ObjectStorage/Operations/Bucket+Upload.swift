import AsyncHTTPClient
import NIOCore
import NIOHTTP1

extension Bucket {
    /// Uploads an object from memory, in one request.
    ///
    /// - Throws: ``ObjectStorageError``, or `CancellationError`.
    public func upload(_ bytes: [UInt8], as key: ObjectKey) async throws {
        try await put(RequestBody(bytes), as: key)
    }

    /// Uploads a file as an object: in one request if it is not larger than a part, otherwise as a
    /// multipart upload.
    ///
    /// An incomplete object is never visible. The parts of a failed or cancelled upload are
    /// removed; if that fails, ``unfinishedUploads(under:)`` lists the upload.
    ///
    /// - Throws: ``ObjectStorageError``, or `CancellationError`.
    public func upload(fileAt path: String, as key: ObjectKey) async throws {
        let file = try ReadableFile(path: path)
        if file.byteCount <= settings.partBytes {
            try await put(RequestBody(file, range: 0..<file.byteCount), as: key)
        } else {
            try await MultipartUpload(of: file, as: key, to: self).run()
        }
    }

    private func put(_ body: RequestBody, as key: ObjectKey) async throws {
        var request = StorageRequest(.PUT, key: key)
        request.body = body
        try await send(request)
    }

    /// Sends a request whose response body is not needed.
    func send(_ request: StorageRequest) async throws {
        try await connection.send(request) { response in
            // The connection can be reused only if the response is read to its end.
            _ = try await response.body.firstBytes(StorageConnection.errorBytesLimit)
        }
    }

    /// Sends a request whose response is a document with the root element `root`.
    ///
    /// For long operations, S3 sends status 200 before the result is known, so the document may
    /// also be an error.
    func document(_ root: String, request: StorageRequest) async throws -> XMLElement {
        try await connection.send(request) { response in
            let body = try await response.body.bytes(upTo: Self.documentBytesLimit)
            let document: XMLElement
            do { document = try XMLReader.document(body) } catch {
                throw AttemptFailure.malformed("sent malformed XML: \(error)")
            }
            if document.name == "Error" {
                throw AttemptFailure.refused(
                    Refusal(
                        status: Int(response.status.code), headers: response.headers, body: body))
            }
            guard document.name == root else {
                throw AttemptFailure.malformed("sent another document than \(root)")
            }
            return document
        }
    }

    /// The maximum size of a document in bytes. A page of a list has 1,000 keys of up to 1,024
    /// bytes, escaped.
    static let documentBytesLimit = 8 << 20
}

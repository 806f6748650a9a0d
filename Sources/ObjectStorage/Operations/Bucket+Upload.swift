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

    /// Uploads a file as an object: in one request up to the size of a part, else in parts.
    ///
    /// An object exists only as a whole. The parts of a failed or cancelled upload are removed;
    /// what cannot be removed is listed by ``unfinishedUploads(under:)``.
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

    /// Sends a request whose response has no content of use.
    func send(_ request: StorageRequest) async throws {
        try await connection.send(request) { response in
            // A response that is read to its end leaves its connection for other requests.
            _ = try await response.body.firstBytes(StorageConnection.errorBytesLimit)
        }
    }

    /// Sends a request whose response is a document with the root element `root`.
    ///
    /// The status says 200 before a long operation ends, so the document may also be an error.
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

    /// The most bytes of a document: a page of a list has 1,000 keys of 1,024 bytes, escaped.
    static let documentBytesLimit = 8 << 20
}

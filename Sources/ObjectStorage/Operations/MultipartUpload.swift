import AsyncHTTPClient
import NIOHTTP1
import Problems

/// A multipart upload of a file.
///
/// See "Uploading and copying objects using multipart upload" in the user guide of Amazon S3.
struct MultipartUpload {
    private let file: ReadableFile
    private let key: ObjectKey
    private let bucket: Bucket
    private let partBytes: Int64

    /// The maximum number of parts of an object.
    private static let partsLimit: Int64 = 10_000

    init(of file: ReadableFile, as key: ObjectKey, to bucket: Bucket) {
        self.file = file
        self.key = key
        self.bucket = bucket
        // A file that would have too many parts of the configured size gets larger parts.
        partBytes = max(bucket.settings.partBytes, file.byteCount / (Self.partsLimit - 1))
    }

    func run() async throws {
        let id = try await begin()
        do {
            let tags = try await sendParts(id)
            try await complete(id, tags: tags)
        } catch {
            await abort(id)
            throw error
        }
    }

    private func begin() async throws -> String {
        let document = try await bucket.document(
            "InitiateMultipartUploadResult",
            request: StorageRequest(.POST, key: key, query: [QueryItem(name: "uploads")]))
        guard let id = document["UploadId"]?.text, !id.isEmpty else {
            throw malformed("sent no UploadId")
        }
        return id
    }

    private var ranges: [Range<Int64>] {
        stride(from: 0, to: file.byteCount, by: Int64.Stride(partBytes)).map {
            $0..<min($0 + partBytes, file.byteCount)
        }
    }

    /// - Returns: The tags of the parts, in order.
    private func sendParts(_ id: String) async throws -> [String] {
        var parts = Array(zip(1..., ranges)).makeIterator()
        var tags: [Int: String] = [:]
        try await withThrowingTaskGroup(of: (Int, String).self) { group in
            for _ in 0..<max(bucket.settings.partsAtOnce, 1) {
                guard let (number, range) = parts.next() else { break }
                group.addTask { (number, try await send(range, number: number, id: id)) }
            }
            while let (number, tag) = try await group.next() {
                tags[number] = tag
                guard let (number, range) = parts.next() else { continue }
                group.addTask { (number, try await send(range, number: number, id: id)) }
            }
        }
        return tags.sorted { $0.key < $1.key }.map(\.value)
    }

    private func send(_ range: Range<Int64>, number: Int, id: String) async throws -> String {
        var request = StorageRequest(
            .PUT, key: key, query: [QueryItem(name: "partNumber", value: "\(number)"), idItem(id)])
        request.body = try RequestBody(file, range: range)
        return try await bucket.connection.send(request) { response in
            _ = try await response.body.firstBytes(StorageConnection.errorBytesLimit)
            guard let tag = response.headers.first(name: "etag") else {
                throw AttemptFailure.malformed("sent no ETag")
            }
            return tag
        }
    }

    /// Combines the parts into an object.
    ///
    /// If the response to a successful request is lost, the next attempt finds no upload. Names are
    /// never reused, so an object of this name and size is the one that was uploaded.
    private func complete(_ id: String, tags: [String]) async throws {
        var request = StorageRequest(.POST, key: key, query: [idItem(id)])
        request.headers["content-type"] = "application/xml"
        request.body = RequestBody(Array(Self.list(of: tags).utf8))
        do {
            _ = try await bucket.document("CompleteMultipartUploadResult", request: request)
        } catch let error as ObjectStorageError where error.reason == .notFound {
            guard try await bucket.status(of: key)?.byteCount == file.byteCount else { throw error }
        }
    }

    private static func list(of tags: [String]) -> String {
        let parts = zip(1..., tags).map { number, tag in
            "<Part><PartNumber>\(number)</PartNumber><ETag>\(tag.xmlEscaped)</ETag></Part>"
        }
        return """
            <CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">\
            \(parts.joined())</CompleteMultipartUpload>
            """
    }

    /// Removes the parts, even if this task is cancelled. Errors are ignored, because the one that
    /// caused the abort is reported.
    private func abort(_ id: String) async {
        await Task { try? await bucket.abort(UnfinishedUpload(key: key, id: id)) }.value
    }

    private func idItem(_ id: String) -> QueryItem { QueryItem(name: "uploadId", value: id) }

    private func malformed(_ detail: String) -> ObjectStorageError {
        ObjectStorageError(
            .malformedResponse, Problem(bucket.connection.subject(key), detail: detail))
    }
}

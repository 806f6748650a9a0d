import Foundation
import NIOHTTP1

extension Bucket {
    /// Lists the objects whose keys start with a text, in the order of the server.
    ///
    /// Objects whose names are not valid as an ``ObjectKey`` are skipped. See "ListObjectsV2" in
    /// the S3 API reference.
    ///
    /// - Parameter pageLimit: The size of a page, or `nil` for that of the server.
    public func objects(under prefix: String = "", pageLimit: Int? = nil) -> Listing<ListedObject> {
        var query = [
            QueryItem(name: "list-type", value: "2"),
            QueryItem(name: "prefix", value: location.prefix + prefix),
        ]
        if let pageLimit { query.append(QueryItem(name: "max-keys", value: "\(pageLimit)")) }
        return Listing(
            bucket: self, request: StorageRequest(.GET, key: nil, query: query),
            root: "ListBucketResult"
        ) { [location] document in
            Listing.Page(
                elements: try document.all("Contents").compactMap { try location.object($0) },
                next: try document.isTruncated
                    ? [
                        .init(
                            name: "continuation-token",
                            value: document.required("NextContinuationToken"))
                    ]
                    : nil)
        }
    }

    /// Lists the multipart uploads that were neither completed nor aborted, whose keys start with a
    /// text.
    ///
    /// Their parts take space until they are aborted. See "ListMultipartUploads" in the S3 API
    /// reference.
    ///
    /// - Parameter pageLimit: The size of a page, or `nil` for that of the server.
    public func unfinishedUploads(
        under prefix: String = "", pageLimit: Int? = nil
    ) -> Listing<UnfinishedUpload> {
        var query = [
            QueryItem(name: "uploads"),
            QueryItem(name: "prefix", value: location.prefix + prefix),
        ]
        if let pageLimit { query.append(QueryItem(name: "max-uploads", value: "\(pageLimit)")) }
        return Listing(
            bucket: self, request: StorageRequest(.GET, key: nil, query: query),
            root: "ListMultipartUploadsResult"
        ) { [location] document in
            Listing.Page(
                elements: try document.all("Upload").compactMap { try location.upload($0) },
                next: try document.isTruncated ? Self.nextUploads(document) : nil)
        }
    }

    /// Returns the parameters of the next page. SeaweedFS sends only the upload ID, and sorts by
    /// it.
    private static func nextUploads(_ page: XMLElement) throws(AttemptFailure) -> [QueryItem] {
        let markers = [
            ("key-marker", page["NextKeyMarker"]?.text ?? ""),
            ("upload-id-marker", page["NextUploadIdMarker"]?.text ?? ""),
        ].filter { !$0.1.isEmpty }
        guard !markers.isEmpty else {
            throw .malformed("sent a truncated list without NextUploadIdMarker")
        }
        return markers.map { QueryItem(name: $0.0, value: $0.1) }
    }

    /// Aborts a multipart upload and deletes its parts, if it exists.
    ///
    /// - Throws: ``ObjectStorageError``, or `CancellationError`.
    public func abort(_ upload: UnfinishedUpload) async throws {
        try await ignoringAbsence {
            try await send(
                StorageRequest(
                    .DELETE, key: upload.key, query: [QueryItem(name: "uploadId", value: upload.id)]
                )
            )
        }
    }
}

extension ObjectLocation {
    /// Returns an object of a list, or `nil` if its name is not a key of this location.
    fileprivate func object(_ element: XMLElement) throws(AttemptFailure) -> ListedObject? {
        guard let key = key(try element.required("Key")) else { return nil }
        guard let count = Int64(try element.required("Size")), count >= 0 else {
            throw .malformed("sent a list with a malformed Size")
        }
        return ListedObject(
            key: key, byteCount: count,
            modified: element["LastModified"].flatMap { Date(timestamp: $0.text) })
    }

    fileprivate func upload(_ element: XMLElement) throws(AttemptFailure) -> UnfinishedUpload? {
        guard let key = key(try element.required("Key")) else { return nil }
        return UnfinishedUpload(
            key: key, id: try element.required("UploadId"),
            started: element["Initiated"].flatMap { Date(timestamp: $0.text) })
    }

    private func key(_ name: String) -> ObjectKey? {
        name.hasPrefix(prefix) ? ObjectKey(String(name.dropFirst(prefix.count))) : nil
    }
}

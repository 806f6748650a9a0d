import Crypto
import Foundation
import NIOHTTP1
import Problems

extension Bucket {
    /// Deletes objects, up to 1,000 with each request. Those that do not exist are ignored.
    ///
    /// See "DeleteObjects" in the S3 API reference.
    ///
    /// - Throws: ``ObjectStorageError`` with the first key that the server did not delete (others
    ///   may remain too), or `CancellationError`.
    public func delete(_ keys: [ObjectKey]) async throws {
        for start in stride(from: 0, to: keys.count, by: Self.deletionLimit) {
            try await deleteAtOnce(keys[start..<min(start + Self.deletionLimit, keys.count)])
        }
    }

    private static let deletionLimit = 1_000

    private func deleteAtOnce(_ keys: ArraySlice<ObjectKey>) async throws {
        let body = Array(deletion(of: keys).utf8)
        var request = StorageRequest(.POST, key: nil, query: [QueryItem(name: "delete")])
        request.headers["content-type"] = "application/xml"
        // The request requires a checksum, and MD5 is the only one that all servers accept.
        let checksum = Data(Insecure.MD5.hash(data: body)).base64EncodedString()
        request.headers["content-md5"] = checksum
        request.body = RequestBody(body)
        let response = try await document("DeleteResult", request: request)
        if let failure = response.all("Error").first(where: { !Self.isAbsence($0) }) {
            throw error(failure, among: keys)
        }
    }

    private func deletion(of keys: ArraySlice<ObjectKey>) -> String {
        let objects = keys.map {
            "<Object><Key>\((location.prefix + $0.rawValue).xmlEscaped)</Key></Object>"
        }
        return """
            <Delete xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Quiet>true</Quiet>\
            \(objects.joined())</Delete>
            """
    }

    private static func isAbsence(_ failure: XMLElement) -> Bool {
        failure["Code"]?.text == "NoSuchKey"
    }

    private func error(
        _ failure: XMLElement, among keys: ArraySlice<ObjectKey>
    ) -> ObjectStorageError {
        let key = keys.first { location.prefix + $0.rawValue == failure["Key"]?.text }
        return connection.error(
            .refused(Refusal(status: 200, code: failure["Code"]?.text)),
            of: StorageRequest(.POST, key: key), attempts: 1)
    }
}

import AsyncHTTPClient
import Foundation
import HTTPDates
import NIOHTTP1

extension Bucket {
    /// Returns an object without its content, or `nil` if it does not exist.
    ///
    /// - Throws: ``ObjectStorageError``, or `CancellationError`.
    public func status(of key: ObjectKey) async throws -> ListedObject? {
        do {
            return try await connection.send(StorageRequest(.HEAD, key: key)) { response in
                guard let count = response.headers.first(name: "content-length").flatMap(Int64.init)
                else { throw AttemptFailure.malformed("sent no Content-Length") }
                let date = response.headers.first(name: "last-modified")
                return ListedObject(
                    key: key, byteCount: count, modified: date.flatMap(Date.init(httpDate:)))
            }
        } catch let error as ObjectStorageError where error.reason == .notFound {
            return nil
        }
    }

    /// Runs a deletion. If the object does not exist, the deletion counts as successful.
    func ignoringAbsence(_ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch let error as ObjectStorageError where error.reason == .notFound {}
    }
}

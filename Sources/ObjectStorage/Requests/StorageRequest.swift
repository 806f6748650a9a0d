import NIOHTTP1

/// A request to a bucket, or to one of its objects.
struct StorageRequest: Sendable {
    var method: HTTPMethod
    /// The object, or `nil` for the bucket.
    var key: ObjectKey?
    var query: [QueryItem] = []
    /// Headers by their names in lower case. All are signed.
    var headers: [String: String] = [:]
    var body = RequestBody.empty
    /// The maximum size of the response in bytes, which determines the time limit.
    var responseBytes: Int64 = 0

    init(_ method: HTTPMethod, key: ObjectKey? = nil, query: [QueryItem] = []) {
        self.method = method
        self.key = key
        self.query = query
    }

    /// The time limit of an attempt: the time for body and response at the lowest useful rate, plus
    /// some time without progress. Without it, a server that sends a byte now and then could hold a
    /// request forever.
    func timeLimit(silence: Duration) -> Duration {
        silence * 4 + .seconds((body.byteCount + responseBytes) / Self.slowestRate)
    }

    /// The lowest useful rate, in bytes per second.
    private static let slowestRate: Int64 = 16 << 10
}

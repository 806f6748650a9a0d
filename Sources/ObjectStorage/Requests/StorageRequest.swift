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
    /// The most bytes of the response that matters, for the time that it may take.
    var responseBytes: Int64 = 0

    init(_ method: HTTPMethod, key: ObjectKey? = nil, query: [QueryItem] = []) {
        self.method = method
        self.key = key
        self.query = query
    }

    /// The time that an attempt may take: the body and the response at a rate below which no
    /// transfer is of use, besides some time of silence. Without it, a server that sends a byte now
    /// and then would never be given up.
    func timeLimit(silence: Duration) -> Duration {
        silence * 4 + .seconds((body.byteCount + responseBytes) / Self.slowestRate)
    }

    /// The lowest rate in bytes per second.
    private static let slowestRate: Int64 = 16 << 10
}

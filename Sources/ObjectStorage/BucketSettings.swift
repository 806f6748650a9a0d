/// Limits of a ``Bucket``.
public struct BucketSettings: Hashable, Sendable {
    /// The size in bytes above which an object is uploaded in parts of this size, at least 5 MiB
    /// for AWS.
    public var partBytes: Int64 = 16 << 20
    /// The maximum number of parts of an object that are sent at the same time.
    public var partsAtOnce = 4
    /// The maximum number of requests in flight.
    public var requestsAtOnce = 16
    /// The maximum time without progress of a request.
    public var silence = Duration.seconds(30)

    public init() {}
}

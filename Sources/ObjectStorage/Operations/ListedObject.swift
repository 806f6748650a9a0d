public import Foundation

/// An object in the listing of a bucket.
public struct ListedObject: Hashable, Sendable {
    public let key: ObjectKey
    /// The size in bytes.
    public let byteCount: Int64
    /// The time of the upload by the server's clock, or `nil` if the server does not send it.
    public let modified: Date?
}

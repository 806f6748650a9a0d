public import Foundation

/// A multipart upload that was neither completed nor aborted.
public struct UnfinishedUpload: Hashable, Sendable {
    public let key: ObjectKey
    /// The server's name for the upload.
    let id: String
    /// The time of its start by the server's clock, or `nil` if the server does not send it.
    public var started: Date?
}

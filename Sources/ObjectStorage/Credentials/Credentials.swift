import Foundation

/// An access key, possibly temporary. Its description and its mirror contain no secrets.
struct Credentials: Hashable, Sendable {
    var accessKeyID: String
    var secretAccessKey: String
    /// The token of temporary credentials.
    var sessionToken: String?
    /// When temporary credentials become invalid.
    var expiration: Date?
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    var description: String { "credentials \(accessKeyID)" }
    var debugDescription: String { description }
    var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}

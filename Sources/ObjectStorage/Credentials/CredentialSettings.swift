/// Where the credentials of a bucket come from.
public struct CredentialSettings: Hashable, Sendable {
    /// The access key ID of the settings, or `nil` to use the other sources.
    public var accessKeyID: String?
    /// The path of the file with the secret of ``accessKeyID``.
    public var secretFile: String?
    /// The environment variables.
    public var environment: [String: String]

    public init(
        accessKeyID: String? = nil, secretFile: String? = nil, environment: [String: String]
    ) {
        self.accessKeyID = accessKeyID
        self.secretFile = secretFile
        self.environment = environment
    }
}

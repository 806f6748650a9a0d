/// The sources of a bucket's credentials.
public struct CredentialSettings: Hashable, Sendable {
    /// The configured access key ID, or `nil` to use the other sources.
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

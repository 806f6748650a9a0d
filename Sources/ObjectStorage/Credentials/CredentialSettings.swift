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

    /// Checks that the file with the secret can be used, if it is set.
    ///
    /// - Throws: ``ObjectStorageError`` if it cannot be read, or contains no secret.
    public func checkFile() throws(ObjectStorageError) {
        if let secretFile { _ = try CredentialFile.text(of: secretFile) }
    }
}

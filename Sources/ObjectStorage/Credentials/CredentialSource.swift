/// A source of credentials.
protocol CredentialSource: Sendable {
    /// Returns credentials, or `nil` if this source is not configured.
    ///
    /// - Throws: ``ObjectStorageError`` if it is configured but fails. Later sources are not tried
    ///   then, because their credentials may belong to another identity.
    func credentials() async throws -> Credentials?
}

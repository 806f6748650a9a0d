/// A source that credentials may come from.
protocol CredentialSource: Sendable {
    /// Returns credentials, or `nil` if this source is not set up.
    ///
    /// - Throws: ``ObjectStorageError`` if it is set up and fails. Other sources are not used then,
    ///   because their credentials may be of another identity.
    func credentials() async throws -> Credentials?
}

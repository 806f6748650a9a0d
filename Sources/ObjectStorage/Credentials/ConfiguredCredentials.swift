/// An access key whose ID is a setting and whose secret is in a file.
///
/// The file is read again when the server rejects the key, so a secret can be rotated without a
/// restart.
struct ConfiguredCredentials: CredentialSource {
    let settings: CredentialSettings

    func credentials() throws -> Credentials? {
        switch (settings.accessKeyID, settings.secretFile) {
        case (nil, nil): return nil
        case (let id?, let file?):
            return Credentials(accessKeyID: id, secretAccessKey: try CredentialFile.text(of: file))
        default:
            throw ObjectStorageError.invalid(
                "blobs.access_key_id", detail: "incomplete",
                suggestion: "set it together with blobs.secret_key_file")
        }
    }
}

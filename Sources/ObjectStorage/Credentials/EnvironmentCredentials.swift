/// An access key in `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`.
struct EnvironmentCredentials: CredentialSource {
    let environment: [String: String]

    func credentials() -> Credentials? {
        guard let id = environment["AWS_ACCESS_KEY_ID"],
            let secret = environment["AWS_SECRET_ACCESS_KEY"]
        else { return nil }
        return Credentials(
            accessKeyID: id, secretAccessKey: secret,
            sessionToken: environment["AWS_SESSION_TOKEN"])
    }
}

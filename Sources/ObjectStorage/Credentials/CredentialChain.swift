/// The sources in the order in which they are used.
struct CredentialChain: CredentialSource {
    let sources: [any CredentialSource]

    /// - Parameters:
    ///   - region: The region of the bucket, whose token service is used.
    ///   - client: Sends the requests of the sources that are servers.
    init(_ settings: CredentialSettings, region: String, client: CredentialClient) {
        let environment = settings.environment.filter { !$0.value.isEmpty }
        sources = [
            ConfiguredCredentials(settings: settings),
            EnvironmentCredentials(environment: environment),
            WebIdentityCredentials(environment: environment, region: region, client: client),
            ContainerCredentials(environment: environment, client: client),
            InstanceCredentials(environment: environment, client: client),
        ]
    }

    func credentials() async throws -> Credentials? {
        for source in sources {
            if let credentials = try await source.credentials() { return credentials }
        }
        return nil
    }
}

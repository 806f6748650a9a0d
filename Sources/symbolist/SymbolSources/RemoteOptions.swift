import ArgumentParser
import Foundation
import ServiceClient
import Symbolication

/// The service to query for symbols that are not found locally.
///
/// There is no environment variable for it: data leaves the machine only on an explicit request on
/// the command line.
struct RemoteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Ask this service for symbols that are not found locally; sends only UUIDs and offsets.
            """, valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            """
            Token for --server; prefer SYMBOLIST_TOKEN.
            """))
    var token: String?

    @Option(
        help: ArgumentHelp(
            """
            Wait for missing symbols to be uploaded: --wait for 60 seconds, --wait=120 for longer.
            """, valueName: "seconds"))
    var wait: Int?

    /// The number of retries. It is low because the user waits for the result.
    private static let retryCount = 1
    private static let timeoutSeconds = 20

    func validate() throws {
        guard let wait else { return }
        if server == nil {
            throw ValidationError("--wait needs a service: set --server")
        }
        if !(0...86_400 ~= wait) {
            throw ValidationError("'\(wait)' is not a time to wait from 0 to 86400 seconds")
        }
    }

    /// - Parameter findsNearestLine: Whether lookups are for frames of reports, not for single
    ///   offsets.
    /// - Returns: The symbols of the service, or `nil` if `--server` is not set.
    /// - Throws: `ValidationError` if the address or the token is invalid.
    func symbols(
        beyond local: any SymbolProvider, findsNearestLine: Bool
    ) throws -> RemoteSymbolProvider? {
        guard let server else { return nil }
        var policy = RetryPolicy()
        policy.retryCount = Self.retryCount
        let connection = try ServerConnection(
            to: server, token: token, retry: policy, timeoutSeconds: Self.timeoutSeconds,
            environment: ProcessInfo.processInfo.environment)
        return RemoteSymbolProvider(
            asking: connection, beyond: local, findsNearestLine: findsNearestLine,
            waitLimit: .seconds(wait ?? 0))
    }
}

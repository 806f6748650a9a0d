import ArgumentParser
import Foundation
import SymbolUpload
import Symbolication

/// The service that is asked for what this machine has no symbols of, where one is named.
///
/// The environment does not name it: something leaves the machine only if the command says so.
struct RemoteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            Ask this service for what is not found here; only UUIDs of images and offsets are sent.
            """, valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            """
            The token for --server. Process lists show it: rather set SYMBOLIST_TOKEN or \
            SYMBOLIST_TOKEN_FILE.
            """))
    var token: String?

    @Option(
        help: ArgumentHelp(
            """
            Wait until the service has what it lacks too, for 60 seconds or as many as are given \
            (--wait=120).
            """, valueName: "seconds"))
    var wait: Int?

    /// Somebody waits for the answer, so not for long.
    private static let retryCount = 1
    private static let timeoutSeconds = 20

    func validate() throws {
        guard let wait else { return }
        if server == nil {
            throw ValidationError("--wait is for a service: name one with --server")
        }
        if !(0...86_400 ~= wait) {
            throw ValidationError("'\(wait)' is no time to wait: give 0 to 86400 seconds")
        }
    }

    /// - Parameter fillsGaps: Whether answers are for frames of reports, and not for offsets by
    ///   themselves.
    /// - Returns: `nil` where no service is named.
    /// - Throws: Wrong usage, when the address or the token cannot be used.
    func symbols(beyond local: any SymbolProvider, fillsGaps: Bool) throws -> ServerSymbols? {
        guard let server else { return nil }
        var policy = RetryPolicy()
        policy.retryCount = Self.retryCount
        let connection = try ServerConnection(
            to: server, token: token, retry: policy, timeoutSeconds: Self.timeoutSeconds,
            environment: ProcessInfo.processInfo.environment)
        return ServerSymbols(
            asking: connection, beyond: local, fillsGaps: fillsGaps,
            waitLimit: .seconds(wait ?? 0))
    }
}

import ArgumentParser
import Foundation
import SymbolUpload

/// The service that symbolicates instead of this machine, where one is named.
///
/// The environment does not name it: a report leaves the machine only if the command says so.
struct RemoteOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Let this service symbolicate; the whole report is sent to it.", valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            """
            The token for --server. Other users of this machine can read it while the command \
            runs: rather set SYMBOLIST_TOKEN, or SYMBOLIST_TOKEN_FILE to the path of a file.
            """))
    var token: String?

    /// Somebody waits for the answer, so not for long.
    private static let retryCount = 2
    private static let timeoutSeconds = 60

    /// - Returns: `nil` where no service is named.
    /// - Throws: Wrong usage, when the address or the token cannot be used.
    func connect() throws -> ServerConnection? {
        guard let server else { return nil }
        var policy = RetryPolicy()
        policy.retryCount = Self.retryCount
        return try ServerConnection(
            to: server, token: token, retry: policy, timeoutSeconds: Self.timeoutSeconds,
            environment: ProcessInfo.processInfo.environment)
    }
}

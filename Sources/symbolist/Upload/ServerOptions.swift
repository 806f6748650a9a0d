import ArgumentParser
import Foundation
import Problems
import ServiceClient

/// The server that a command connects to, and the options of the connection.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The URL of the server. Default: SYMBOLIST_SERVER.",
            valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            """
            The access token. Prefer SYMBOLIST_TOKEN or SYMBOLIST_TOKEN_FILE: process lists show \
            options.
            """))
    var token: String?

    // A negative number is a wrong value, and not another option.
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Retries of a failed request.", valueName: "n"))
    var retries = 5

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The time limit without progress.", valueName: "seconds"))
    var timeout = 60

    func validate() throws {
        if !(0...100 ~= retries) {
            throw ValidationError("'\(retries)' is not a number of retries from 0 to 100")
        }
        if !(1...86_400 ~= timeout) {
            throw ValidationError("'\(timeout)' is not a timeout from 1 to 86400 seconds")
        }
    }

    /// - Throws: `ValidationError` if the server is missing, or the server or the token is invalid.
    func connect(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ServerConnection {
        guard let server = server ?? environment["SYMBOLIST_SERVER"], !server.isEmpty else {
            throw ValidationError("missing server: set --server or SYMBOLIST_SERVER")
        }
        var policy = RetryPolicy()
        policy.retryCount = retries
        return try ServerConnection(
            to: server, token: token, retry: policy, timeoutSeconds: timeout,
            environment: environment)
    }
}

extension ServerConnection {
    /// - Parameter token: The token of the command line, or `nil` to use the environment's.
    /// - Throws: `ValidationError` if the address or the token is invalid.
    init(
        to server: String, token: String?, retry: RetryPolicy, timeoutSeconds: Int,
        environment: [String: String]
    ) throws {
        // Build servers set the variable of a missing secret to an empty text.
        let variable = environment["SYMBOLIST_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
        let token = try token ?? variable ?? Self.tokenOfFile(environment)
        do throws(ServerRequestError) {
            let address = try ServerAddress(url: server, token: token)
            self.init(
                address, retry: retry, timeoutSeconds: timeoutSeconds,
                tls: try ClientTLS(environment: environment), environment: environment)
        } catch { throw ValidationError(error.description) }
    }

    private static func tokenOfFile(_ environment: [String: String]) throws -> String? {
        guard let path = environment["SYMBOLIST_TOKEN_FILE"], !path.isEmpty else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError(
                "SYMBOLIST_TOKEN_FILE: '\(path)' cannot be read: "
                    + "check the path and its permissions")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

extension ServerConnection {
    /// Runs a closure with the connection, prints an error of the server, and closes the
    /// connection.
    ///
    /// - Throws: The exit code of the command, or the error of the closure.
    func use(_ body: (ServerConnection) async throws -> Void) async throws {
        do {
            try await body(self)
            await close()
        } catch let error as ServerRequestError {
            await close()
            Console.problem(error)
            throw Outcome.of(error)
        } catch {
            await close()
            throw error
        }
    }
}

extension Outcome {
    /// Returns the exit code for an error that ends a command.
    static func of(_ error: ServerRequestError) -> ExitCode {
        switch error.kind {
        case .unusable: wrongUsage
        case .refused, .unreachable, .failed: serverRefused
        }
    }
}

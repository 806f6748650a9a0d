import ArgumentParser
import Foundation
import SymbolUpload

/// Which server the commands speak to, and how.
struct ServerOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The server, such as https://symbols.example.com. Default: SYMBOLIST_SERVER.",
            valueName: "url"))
    var server: String?

    @Option(
        help: ArgumentHelp(
            """
            The token that lets you in. Other users of this machine can read it while the command \
            runs: rather set SYMBOLIST_TOKEN, or SYMBOLIST_TOKEN_FILE to the path of a file.
            """))
    var token: String?

    @Option(help: ArgumentHelp("How often a failed request is sent again.", valueName: "n"))
    var retries = 5

    @Option(
        help: ArgumentHelp(
            "How long a request may make no progress.", valueName: "seconds"))
    var timeout = 60

    func validate() throws {
        if !(0...100 ~= retries) {
            throw ValidationError("'\(retries)' is no number of retries: give 0 to 100")
        }
        if !(1...86_400 ~= timeout) {
            throw ValidationError("'\(timeout)' is no time-out: give 1 to 86400 seconds")
        }
    }

    /// - Throws: Wrong usage, when the server or the token is missing or cannot be used.
    func connect(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws -> ServerConnection {
        guard let server = server ?? environment["SYMBOLIST_SERVER"], !server.isEmpty else {
            throw ValidationError("no server given: set --server or SYMBOLIST_SERVER")
        }
        var policy = RetryPolicy()
        policy.retryCount = retries
        return try ServerConnection(
            to: server, token: token, retry: policy, timeoutSeconds: timeout,
            environment: environment)
    }
}

extension ServerConnection {
    /// - Parameter token: That of the command line; without it the environment's is taken.
    /// - Throws: Wrong usage, when address or token cannot be used.
    init(
        to server: String, token: String?, retry: RetryPolicy, timeoutSeconds: Int,
        environment: [String: String]
    ) throws {
        let token =
            try token ?? environment["SYMBOLIST_TOKEN"] ?? Self.tokenOfFile(environment)
        do throws(ServerError) {
            let address = try ServerAddress(url: server, token: token)
            self.init(
                address, retry: retry, timeoutSeconds: timeoutSeconds, environment: environment)
        } catch { throw ValidationError(error.description) }
    }

    private static func tokenOfFile(_ environment: [String: String]) throws -> String? {
        guard let path = environment["SYMBOLIST_TOKEN_FILE"], !path.isEmpty else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw ValidationError("'\(path)' of SYMBOLIST_TOKEN_FILE cannot be read")
        }
        return String(decoding: data, as: UTF8.self)
    }
}

extension ServerConnection {
    /// Works with the server, and says what went wrong.
    ///
    /// - Throws: How the command ends.
    func use(_ body: (ServerConnection) async throws -> Void) async throws {
        do {
            try await body(self)
            await close()
        } catch let error as ServerError {
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
    /// A server that will not do one thing has still answered.
    static func of(_ error: ServerError) -> ExitCode {
        switch error.kind {
        case .unusable: wrongUsage
        case .refused, .unreachable: serverRefused
        case .failed(let status): (500...).contains(status) ? serverRefused : someFailed
        }
    }
}

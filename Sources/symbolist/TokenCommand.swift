import ArgumentParser
import Foundation
import SentryProtocol

/// `symbolist token`: creates an access token and its digest for the configuration.
struct TokenCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "token",
        abstract: "Generate a random access token.",
        discussion: """
            Prints the token for the client, and its SHA-256 for auth.tokens[].sha256 of the service. \
            With --url, the token contains the address of the service, so sentry-cli needs no other \
            setting.

            Examples:
              symbolist token
              symbolist token --url https://symbols.example.com
            """)

    @Option(
        help: ArgumentHelp(
            "The address of the service for the clients of this token, without a path.",
            valueName: "url"))
    var url: String?

    @Option(
        help: ArgumentHelp(
            "With --url: the organization that sentry-cli uses.", valueName: "name"))
    var org = "symbolist"

    @Flag(help: "Print JSON.")
    var json = false

    func validate() throws {
        let isPlain = org.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
                UInt8(ascii: "."):
                true
            default: false
            }
        }
        guard isPlain, 1...128 ~= org.utf8.count else {
            throw ValidationError(
                "'\(org)' is not an organization: use letters, digits, '.', '_' and '-'")
        }
    }

    func run() throws {
        let token = try token()
        if json {
            Console.result("{\"token\":\"\(token.text)\",\"sha256\":\"\(token.digest)\"}\n")
        } else {
            Console.result("token:  \(token.text)\nsha256: \(token.digest)\n")
        }
    }

    private func token() throws -> NewToken {
        guard let url else { return NewToken() }
        let now = Date().timeIntervalSince1970
        guard let token = try NewToken(url: url, organization: org, time: now) else {
            throw ValidationError(
                "'\(url)' is not the address of a service: use http:// or https:// and a host, "
                    + "without a path")
        }
        return token
    }
}

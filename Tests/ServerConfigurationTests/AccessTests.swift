import Crypto
import Foundation
import Testing

@testable import ServerConfiguration

@Suite("Tokens in the configuration")
struct AccessTests {
    let digest = Array(SHA256.hash(data: Data("secret-1".utf8)))

    func tokens(_ lines: String) throws(ConfigurationError) -> [AccessToken] {
        try load("auth:\n  tokens:\n\(lines)").configuration.access.tokens
    }

    @Test("a token is stored as its digest, however it is configured")
    func ways() throws {
        let path = NSTemporaryDirectory() + "token-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data("secret-1\n".utf8).write(to: URL(filePath: path))
        let hex = digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        for line in ["token: secret-1", "token_file: \(path)", "sha256: \(hex.uppercased())"] {
            let tokens = try tokens(
                "  - \(line)\n    name: ci\n    scopes: [upload, read]\n    app: shop")
            let expected = AccessToken(
                name: "ci", digest: digest, scopes: [.upload, .read], app: "shop")
            #expect(tokens == [expected])
        }
    }

    @Test(
        "invalid tokens are rejected",
        arguments: [
            (
                "  - scopes: [read]",
                "symbolist.yaml:3: auth.tokens[0]: needs exactly one of token, token_file and "
                    + "sha256"
            ),
            (
                "  - {token: a, token_file: b, scopes: read}",
                "symbolist.yaml:3: auth.tokens[0]: needs exactly one of token, token_file and "
                    + "sha256"
            ),
            (
                "  - token: a",
                "symbolist.yaml:3: auth.tokens[0].scopes: is empty: use ingest, upload or read"
            ),
            (
                "  - {token: a, scopes: [write]}",
                "symbolist.yaml:3: auth.tokens[0].scopes: 'write' is unknown: use ingest, "
                    + "upload or read"
            ),
            (
                "  - {token: a, scopes: read}\n  - {token: a, scopes: read}",
                "symbolist.yaml:4: auth.tokens[1]: is the same token as an earlier one: remove it"
            ),
            (
                "  - {token_file: /nowhere, scopes: read}",
                "symbolist.yaml:3: auth.tokens[0].token_file: cannot be read: check the path "
                    + "and its permissions"
            ),
            (
                "  - {token_file: /dev/null, scopes: read}",
                "symbolist.yaml:3: auth.tokens[0].token_file: is empty: write the token into it"
            ),
            (
                "  - {token_file: /dev/zero, scopes: read}",
                "symbolist.yaml:3: auth.tokens[0].token_file: cannot be read: check the path "
                    + "and its permissions"
            ),
        ])
    func refused(lines: String, beginning: String) throws {
        let found = problems("auth:\n  tokens:\n\(lines)")
        #expect(found.count == 1)
        #expect(try #require(found.first).hasPrefix(beginning), "\(found)")
    }

    @Test("neither values nor errors show secrets")
    func secrets() throws {
        let file = """
            auth:
              tokens: [{token: hidden-token, scopes: read}]
            export:
            - url: http://a
              headers: {x-key: hidden-header}
            """
        var shown = ""
        let configuration = try load(file).configuration
        dump(configuration, to: &shown)
        shown += "\(configuration)" + String(reflecting: configuration)
        #expect(shown.contains("x-key"))
        #expect(!shown.contains("hidden"))
        #expect(
            configuration.exports.first?.destination.headers?.first?.value.value == "hidden-header")
        let wrong = problems(environment: [
            "SYMBOLIST_EXPORT_0_HEADERS": "hidden header=hidden\u{1}",
            "SYMBOLIST_EXPORT_0_URL": "http://a",
        ])
        #expect(
            wrong == [
                "SYMBOLIST_EXPORT_0_HEADERS: the value has no valid header name: use NAME=VALUE"
            ])
    }
}

extension ExporterConfiguration.Destination {
    fileprivate var headers: [ExporterConfiguration.Header]? {
        switch self {
        case .otlpHTTP(let server), .otlpGRPC(let server): server.headers
        case .kafka, .file, .standardOutput: nil
        }
    }
}

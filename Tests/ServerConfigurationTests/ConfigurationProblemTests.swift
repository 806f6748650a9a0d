import Foundation
import Testing

@testable import ServerConfiguration

@Suite("Problems of a configuration")
struct ConfigurationProblemTests {
    @Test("all problems are reported with their locations")
    func all() {
        let file = """
            http:
              prot: 4318
              host: ""
            hold: 5
            zzz: 1
            export:
              - url: collector
                retry:
                  max: soon
            """
        let problems = problems(
            file, environment: ["SYMBOLIST_WORKERS": "many"], flags: ["log.level": "loud"])
        #expect(
            problems == [
                "symbolist.yaml:2: http.prot: no such key: did you mean 'http.port'?",
                "symbolist.yaml:3: http.host: '' is empty: set a value or remove the key",
                "symbolist.yaml:4: hold: '5' is not a duration: use a number with a unit, such "
                    + "as 200ms, 5s, 10m, 12h or 30d",
                "symbolist.yaml:5: zzz: no such key: see 'symbolist serve --list-settings'",
                "symbolist.yaml:7: export[0].url: 'collector' is not a server URL: use one such "
                    + "as http://collector:4318",
                "symbolist.yaml:9: export[0].retry.max: 'soon' is not a duration: use a number "
                    + "with a unit, such as 200ms, 5s, 10m, 12h or 30d",
                "SYMBOLIST_WORKERS: 'many' is not a whole number from 1 to 256, or 'auto'",
                "log.level: 'loud' is unknown: use trace, debug, info, notice, warning, error "
                    + "or critical",
            ])
    }

    @Test(
        "a value of the wrong shape is reported",
        arguments: [
            (
                "http: 4318",
                "symbolist.yaml:1: http is a group: indent one of host, port, hosts, origins below it"
            ),
            ("export: http://a", "symbolist.yaml:1: export is a list: start each entry with '- '"),
            ("export:\n- http://a", "symbolist.yaml:2: export[0] is a group: indent one of name,"),
            ("hold: [1s]", "symbolist.yaml:1: hold takes one value"),
            (
                "in_app:\n  include: {a: b}",
                "symbolist.yaml:2: in_app.include takes a list of values, '[a, b]' or 'a, b'"
            ),
            ("http:\n  hosts: [[a]]", "symbolist.yaml:2: http.hosts takes a list of values, '[a"),
            (
                "expotr:\n- url: http://a",
                "symbolist.yaml:1: expotr: no such key: did you mean 'exp"
            ),
            (
                "export:\n- headers: x",
                "symbolist.yaml:2: export[0].headers takes a mapping of names to values"
            ),
            ("- a", "symbolist.yaml:1: is not a mapping: use lines of 'KEY: VALUE'"),
            ("? [a]\n: b", "symbolist.yaml:1: has a key that is not a name"),
            ("hold: 1s\na: [b", "symbolist.yaml:3: while parsing a flow sequence did not find"),
            ("a: b: c", "symbolist.yaml:1: mapping values are not allowed in this context"),
            (
                "data: x\nhold: 1s\n\nhold: 2s",
                "symbolist.yaml:2: 'hold' is set here and again below: keep one"
            ),
            ("hold: \"\u{7}\"", "symbolist.yaml: is not valid YAML"),
            ("export[].url: http://a", "symbolist.yaml:1: has a key that is not a name"),
        ])
    func shapes(text: String, beginning: String) throws {
        let problem = try #require(problems(text).first)
        #expect(problem.hasPrefix(beginning), "\(problem)")
    }

    @Test("a list that is too long is rejected")
    func longList() {
        let list = "export:\n" + String(repeating: "- type: stdout\n", count: 65)
        #expect(
            problems(list) == ["symbolist.yaml:1: export has more than 64 entries: use fewer"])
    }

    @Test("a file that is missing, too large or not text is reported")
    func files() throws {
        let path = NSTemporaryDirectory() + "configuration-\(UUID().uuidString).yaml"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(
            ConfigurationFile(path: path).problems.map { "\($0.problem)" }
                == ["\(path): no such file: check the path"])
        try Data(repeating: UInt8(ascii: "#"), count: (1 << 20) + 1).write(to: URL(filePath: path))
        #expect(
            ConfigurationFile(path: path).problems.map { "\($0.problem)" }
                == ["\(path): is larger than 1 MiB, the limit for a configuration"])
        try Data([0xff, 0xfe, 0x80]).write(to: URL(filePath: path))
        #expect(
            ConfigurationFile(path: path).problems.map { "\($0.problem)" }
                == ["\(path): is not UTF-8 text"])
        try Data("http:\n  port: 99".utf8).write(to: URL(filePath: path))
        let loaded = try ServerConfiguration.load(file: path, environment: [:])
        #expect(loaded.configuration.http.port == 99)
    }

    @Test(
        "TLS requires a certificate and its key",
        arguments: ["certificate: c", "key: k", "client_ca: a"])
    func halfTLS(line: String) {
        let key = line.prefix { $0 != ":" }
        #expect(
            problems("tls:\n  \(line)") == [
                "symbolist.yaml:2: tls.\(key): is set alone: set both tls.certificate and tls.key"
            ])
    }

    @Test(
        "without tokens only loopback addresses are valid",
        arguments: [
            ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("localhost", true),
            ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("localhost.example", false),
            ("127.0.0.1.example.com", false), ("127.1", false), ("127.0.0.256", false),
        ])
    func exposure(host: String, isAllowed: Bool) {
        for group in ["http", "grpc"] {
            let found = problems(flags: ["\(group).host": host])
            let expected =
                "\(group).host: '\(host)' is open to the network, and there are no tokens: set "
                + "auth.tokens, or auth.anonymous: true"
            #expect(found == (isAllowed ? [] : [expected]))
        }
    }

    @Test("tokens or anonymous access allow other addresses")
    func allowedExposure() {
        let hosts = ["http.host": "0.0.0.0", "grpc.host": "::"]
        let token = ["auth.tokens.0.token": "t", "auth.tokens.0.scopes": "read"]
        #expect(problems(flags: hosts.merging(token) { $1 }) == [])
        #expect(problems("auth:\n  anonymous: true", flags: hosts) == [])
        #expect(problems(flags: ["grpc.enabled": "false", "grpc.host": "::"]) == [])
    }

    @Test("HTTP and gRPC cannot share a port")
    func samePort() {
        #expect(
            problems(environment: ["SYMBOLIST_GRPC_PORT": "4318"]) == [
                "SYMBOLIST_GRPC_PORT: 4318 is also the port of HTTP: use a different one, or "
                    + "set grpc.enabled to false"
            ])
        #expect(problems(flags: ["http.port": "0", "grpc.port": "0"]) == [])
    }
}

import Foundation
import Testing

@testable import ServerConfiguration

@Suite("A configuration that is wrong")
struct ConfigurationProblemTests {
    @Test("is told all of its problems, each with its place")
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
                "symbolist.yaml:3: http.host: '' is empty: give a value or leave the key out",
                "symbolist.yaml:4: hold: '5' is no duration: write for instance 200ms, 5s, 10m, 12h "
                    + "or 30d",
                "symbolist.yaml:5: zzz: no such key: see 'symbolist serve --help' for all keys",
                "symbolist.yaml:7: export[0].url: 'collector' is no address of a server: write for "
                    + "instance http://collector:4318",
                "symbolist.yaml:9: export[0].retry.max: 'soon' is no duration: write for instance "
                    + "200ms, 5s, 10m, 12h or 30d",
                "SYMBOLIST_WORKERS: 'many' is no whole number from 1 to 256: write one, or 'auto'",
                "log.level: 'loud' is unknown: write trace, debug, info, notice, warning, error or "
                    + "critical",
            ])
    }

    @Test(
        "is told which shape a key has",
        arguments: [
            (
                "http: 4318",
                "symbolist.yaml:1: http is a group: write some of host, port, hosts below it"
            ),
            ("export: http://a", "symbolist.yaml:1: export is a list: begin each entry with '- '"),
            ("export:\n- http://a", "symbolist.yaml:2: export[0] is a group: write some of name,"),
            ("hold: [1s]", "symbolist.yaml:1: hold takes one value: write it so"),
            (
                "in_app:\n  include: {a: b}",
                "symbolist.yaml:2: in_app.include takes a list of values: write it so"
            ),
            (
                "export:\n- headers: x",
                "symbolist.yaml:2: export[0].headers takes a mapping of names to values"
            ),
            ("- a", "symbolist.yaml:1: it is no mapping: write 'KEY: VALUE' in each line"),
            ("? [a]\n: b", "symbolist.yaml:1: it has a key that is no name"),
            ("hold: 1s\na: [b", "symbolist.yaml:3: while parsing a flow sequence did not find"),
            ("a: b: c", "symbolist.yaml:1: mapping values are not allowed in this context"),
            (
                "data: x\nhold: 1s\n\nhold: 2s",
                "symbolist.yaml:2: 'hold' stands here and again below: keep one"
            ),
            ("hold: \"\u{7}\"", "symbolist.yaml: is no YAML"),
            ("export[].url: http://a", "symbolist.yaml:1: it has a key that is no name"),
        ])
    func shapes(text: String, beginning: String) throws {
        let problem = try #require(problems(text).first)
        #expect(problem.hasPrefix(beginning), "\(problem)")
    }

    @Test("a list that is too long is refused")
    func longList() {
        let list = "export:\n" + String(repeating: "- type: stdout\n", count: 65)
        #expect(
            problems(list) == ["symbolist.yaml:1: export has more than 64 entries: use fewer"])
    }

    @Test("a file that is missing, too large or no text is a problem")
    func files() throws {
        let path = NSTemporaryDirectory() + "configuration-\(UUID().uuidString).yaml"
        defer { try? FileManager.default.removeItem(atPath: path) }
        #expect(
            ConfigurationFile(path: path).problems.map(\.text)
                == ["\(path): cannot be read: give the path of a readable file"])
        try Data(repeating: UInt8(ascii: "#"), count: (1 << 20) + 1).write(to: URL(filePath: path))
        #expect(
            ConfigurationFile(path: path).problems.map(\.text)
                == ["\(path): is larger than 1 MiB: is it a configuration?"])
        try Data([0xff, 0xfe, 0x80]).write(to: URL(filePath: path))
        #expect(
            ConfigurationFile(path: path).problems.map(\.text)
                == ["\(path): is no UTF-8 text: write it as such"])
        try Data("http:\n  port: 99".utf8).write(to: URL(filePath: path))
        let loaded = try ServerConfiguration.load(file: path, environment: [:])
        #expect(loaded.configuration.http.port == 99)
    }

    @Test(
        "TLS needs a certificate and its key",
        arguments: ["certificate: c", "key: k", "client_ca: a"])
    func halfTLS(line: String) {
        let key = line.prefix { $0 != ":" }
        #expect(
            problems("tls:\n  \(line)") == [
                "symbolist.yaml:2: tls.\(key): stands alone: give both tls.certificate and tls.key"
            ])
    }

    @Test(
        "without tokens only loopback is listened on",
        arguments: [
            ("127.0.0.1", true), ("127.9.8.7", true), ("::1", true), ("localhost", true),
            ("0.0.0.0", false), ("::", false), ("10.0.0.1", false), ("localhost.example", false),
            ("127.0.0.1.example.com", false), ("127.1", false), ("127.0.0.256", false),
        ])
    func exposure(host: String, isAllowed: Bool) {
        for group in ["http", "grpc"] {
            let found = problems(flags: ["\(group).host": host])
            let expected =
                "\(group).host: '\(host)' is open to the network and there are no tokens: give "
                + "auth.tokens, or set auth.anonymous to true"
            #expect(found == (isAllowed ? [] : [expected]))
        }
    }

    @Test("tokens, or leave to do without, open the service to the network")
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
                "SYMBOLIST_GRPC_PORT: 4318 is the port of HTTP as well: give another one, or set "
                    + "grpc.enabled to false"
            ])
        #expect(problems(flags: ["http.port": "0", "grpc.port": "0"]) == [])
    }
}

import ArgumentParser
import Foundation
import TestSupport
import Testing
import Yams

@testable import ServerConfiguration
@testable import symbolist

@Suite("Settings and commands in files for deployments")
struct DeploySettingTests {
    /// The configurations of nodes, as maps.
    private static func configurations() throws -> [(name: String, settings: [String: Any])] {
        let map = try DeployFiles.document("kubernetes/configuration.yaml")
        let text = try #require(DeployFiles.value("data", in: map) as? [String: String])
        let kubernetes = try DeployFiles.documents(try #require(text["symbolist.yaml"]))
        let values = try DeployFiles.document("helm/symbolist/values.yaml")
        return [
            ("compose", try DeployFiles.document("compose/symbolist.yaml")),
            ("kubernetes", try #require(kubernetes.first)),
            ("helm", try #require(values["configuration"] as? [String: Any])),
        ]
    }

    /// The keys of a configuration in the form of the table: `export[].url`.
    private static func keys(_ value: Any, _ path: String = "") -> Set<String> {
        if let map = value as? [String: Any] {
            return map.reduce(into: []) { keys, entry in
                keys.formUnion(
                    Self.keys(entry.value, path.isEmpty ? entry.key : "\(path).\(entry.key)"))
            }
        }
        if let list = value as? [Any], list.contains(where: { $0 is [String: Any] }) {
            return list.reduce(into: []) { $0.formUnion(keys($1, path + "[]")) }
        }
        return [path]
    }

    @Test("every setting of the configurations exists, and each names a database and a bucket")
    func keys() throws {
        let known = Set(SettingTable.settings.map(\.key))
        for (name, settings) in try Self.configurations() {
            let keys = Self.keys(settings)
            #expect(keys.subtracting(known) == [], "\(name)")
            #expect(
                keys.isSuperset(of: [
                    "database.url", "blobs.url", "pages.key_file", "export[].url",
                ]), "\(name)")
        }
    }

    @Test("every environment variable and setting in the other files exists")
    func variables() throws {
        let known = Set(SettingTable.settings.map(\.variable))
        var count = 0
        for path in DeployFiles.paths {
            for match in try DeployFiles.text(path).matches(of: /SYMBOLIST_[A-Z0-9_]+/) {
                #expect(known.contains(String(match.output)), "\(path): \(match.output)")
                count += 1
            }
        }
        #expect(count > 2)
        let unit = try DeployFiles.text("systemd/symbolist-node.service")
        for key in ["database.password_file", "blobs.secret_key_file", "pages.key_file"] {
            #expect(SettingTable.setting(key) != nil, "\(key)")
            #expect(unit.contains(String(key.split(separator: ".")[1])), "\(key)")
        }
    }

    @Test("the commands of the files are understood")
    func commands() throws {
        var commands: [[String]] = []
        let compose = try DeployFiles.document("compose/compose.yaml")
        commands.append(
            try #require(DeployFiles.value("services/node1/command", in: compose) as? [String]))
        let deployment = try DeployFiles.document("kubernetes/deployment.yaml")
        commands.append(
            try #require(
                DeployFiles.value("spec/template/spec/containers/0/args", in: deployment)
                    as? [String]))
        let unit = try DeployFiles.text("systemd/symbolist-node.service")
        let start = try #require(unit.firstMatch(of: /ExecStart=\S+\/symbolist (.*)/))
        commands.append(start.output.1.split(separator: " ").map(String.init))
        for command in commands {
            let parsed = try Symbolist.parseAsRoot(command)
            #expect(parsed is ServeCommand, "\(command)")
        }
    }
}

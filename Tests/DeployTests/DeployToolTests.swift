import Foundation
import TestSupport
import Testing

@Suite("Files for deployments, read by their programs")
struct DeployToolTests {
    private static func find(_ name: String) -> String? {
        ["/usr/sbin", "/usr/bin"].map { "\($0)/\(name)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static let haproxy = find("haproxy")
    private static let systemd = find("systemd-analyze")
    private static let isRequired =
        ProcessInfo.processInfo.environment["REQUIRE_PEERS"] == "1"

    @Test("HAProxy accepts its configuration", .enabled(if: haproxy != nil || isRequired))
    func balancer() throws {
        let folder = try TestFolder()
        // The names of the nodes and the network's name servers are not of this machine.
        let text = try DeployFiles.text("haproxy/haproxy.cfg")
            .replacing("init-addr last,libc,none", with: "init-addr none")
        let path = folder.path("haproxy.cfg")
        try Data(text.utf8).write(to: URL(filePath: path))
        let check = try FinishedProgram(
            try #require(Self.haproxy, "install haproxy"), ["-c", "-f", path])
        #expect(check.status == 0, "\(check.output)")
        let warnings = check.output.split(separator: "\n").filter {
            $0.contains("[WARNING]") && !$0.contains("for nameserver")
        }
        #expect(warnings == [])
    }

    @Test("systemd accepts the unit", .enabled(if: systemd != nil))
    func unit() throws {
        let folder = try TestFolder()
        // The program is not installed here.
        let text = try DeployFiles.text("systemd/symbolist-node.service")
            .replacing("/usr/local/bin/symbolist", with: "/bin/true")
        let path = folder.path("symbolist-node.service")
        try Data(text.utf8).write(to: URL(filePath: path))
        let check = try FinishedProgram(
            try #require(Self.systemd), ["verify", "--man=no", path])
        let own = check.output.split(separator: "\n").filter { $0.contains("symbolist-node") }
        #expect(check.status == 0, "\(check.output)")
        #expect(own == [])
    }
}

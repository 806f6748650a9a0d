import Foundation
import Glibc
import TestSupport
import Testing

/// Targets of `-o` other than plain files.
@Suite("Output targets", .ownThreads)
struct OutputPlaceTests {
    let workspace: Workspace

    init() throws {
        workspace = try Workspace()
        try workspace.file("x.crash", text: SameFormTests.crash)
    }

    private static let command =
        "symbolist symbolicate x.crash --symbols '\(Orchard.absolute(Orchard.symbols))'"
    private static let frame = "hash_weight"

    private func text(_ name: String) throws -> String {
        try String(contentsOf: workspace.folder.appendingPathComponent(name), encoding: .utf8)
    }

    /// Returns the first letter that `ls -l` shows for a file, without following links.
    private func kind(_ name: String) throws -> String {
        try workspace.shell("ls -ld \(name) | cut -c1").text.trimmingCharacters(in: .newlines)
    }

    @Test("a file is replaced and keeps its mode")
    func file() throws {
        let run = try workspace.shell(
            """
            umask 022; echo old > out; chmod 4750 out; ln out other
            \(Self.command) -o out && stat -c %a out && cat other
            """)
        #expect(run.problems == [])
        #expect(run.text == "4750\nold\n")
        #expect(try text("out").contains(Self.frame))
    }

    @Test("a chain of links is followed to a file that may not exist yet")
    func links() throws {
        let run = try workspace.shell(
            """
            mkdir a b; echo old > b/old; ln -s ../b/old a/second; ln -s a/second first
            ln -s b/new dangling
            \(Self.command) -o first && \(Self.command) -o dangling && ls -A b
            """)
        #expect(run.problems == [])
        #expect(run.text == "new\nold\n")
        for link in ["first", "a/second", "dangling"] { #expect(try kind(link) == "l") }
        for name in ["b/old", "b/new"] { #expect(try text(name).contains(Self.frame)) }
    }

    @Test("a link to a folder gets one file per input")
    func linkToFolder() throws {
        let run = try workspace.shell(
            """
            mkdir folder; ln -s folder link; cp x.crash y.crash
            \(Self.command) y.crash -o link && ls folder
            """)
        #expect(run.problems == ["2 files, 2 reports: 2 symbolicated"])
        #expect(run.text == "x.crash\ny.crash\n")
        #expect(try kind("link") == "l")
    }

    @Test("a link to itself is an error that names it")
    func endlessLink() throws {
        let run = try workspace.shell("ln -s endless endless; \(Self.command) -o endless")
        #expect(run.status == 1)
        #expect(run.problems.count == 1)
        #expect(run.problems.first?.hasPrefix("endless: cannot be written: ") == true)
    }

    @Test("named pipes, devices and the process's own descriptors can be written to")
    func streams() throws {
        let run = try workspace.shell(
            """
            mkfifo pipe; cat pipe > read & \(Self.command) -o pipe; wait
            \(Self.command) -o /dev/stdout | cat > piped
            { echo before; \(Self.command) -o /dev/stdout; echo after; } > joined
            \(Self.command) -o /dev/fd/7 7> seventh
            \(Self.command) -o /dev/stderr 2> fourth
            """)
        #expect(run.problems == [])
        #expect(try kind("pipe") == "p")
        let answer = try text("read")
        #expect(answer.contains(Self.frame))
        for name in ["piped", "seventh", "fourth"] { #expect(try text(name) == answer) }
        #expect(try text("joined") == "before\n\(answer)after\n")
    }

    @Test("a device stays a device")
    func device() throws {
        var device = "/dev/null"
        // As root, a faulty run could replace /dev/null, so the test creates its own device.
        if geteuid() == 0 {
            device = workspace.folder.appendingPathComponent("null").path
            guard mknod(device, S_IFCHR | 0o666, 0x103) == 0 else { return }
        }
        let run = try workspace.shell("\(Self.command) -o '\(device)'")
        #expect(try kind("'\(device)'") == "c")
        #expect(run.problems.count <= 1)
    }

    @Test("a socket gets the bytes, and one without a listener is an error")
    func socket() async throws {
        let path = "/tmp/\(UUID().uuidString.prefix(8))"
        defer { unlink(path) }
        let listener = try #require(Self.listener(at: path))
        let command = "\(Self.command) -o \(path)"
        async let run = onOwnThread { try workspace.shell(command) }
        let connection = accept(listener, nil, nil)
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = read(connection, &buffer, buffer.count), count > 0 {
            received += buffer[..<count]
        }
        close(connection)
        close(listener)
        #expect(try await run.problems == [])
        #expect(String(decoding: received, as: UTF8.self).contains(Self.frame))
        let refused = try workspace.shell(command)
        #expect(refused.status == 1)
        #expect(refused.problems.first?.hasPrefix("\(path): cannot be written: ") == true)
        #expect(try kind(path) == "s")
    }

    private static func listener(at path: String) -> Int32? {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let listener = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        return isBound && listen(listener, 1) == 0 ? listener : nil
    }

    @Test("an index cannot be written to a folder")
    func folder() throws {
        let debugFile = "'\(Orchard.absolute(Orchard.symbols))'/Orchard.app.dSYM"
        let run = try workspace.shell(
            """
            mkdir folder; symbolist index \(debugFile) -o folder
            mkfifo pipe; cat pipe > read & symbolist index \(debugFile) -o pipe; wait
            symbolist index \(debugFile) -o file; cmp read file && echo same
            """)
        #expect(run.problems == ["folder: is a folder: set -o to a file"])
        #expect(run.text == "same\n")
        #expect(try kind("pipe") == "p")
    }
}

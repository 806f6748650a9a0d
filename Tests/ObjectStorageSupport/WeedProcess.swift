import Foundation
import Glibc
import TestSupport

/// A process of SeaweedFS with its data in a temporary folder.
struct WeedProcess {
    let endpoint: String
    private let process = Process()
    /// The side of the shell's input that keeps the server alive. Other processes do not inherit
    /// it.
    private let lifeline: Int32
    private let folder: URL

    init(_ program: String) throws {
        let ports = try (0..<8).map { _ in try freePort() }
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-weed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(Self.identities.utf8).write(to: folder.appendingPathComponent("s3.json"))
        endpoint = "http://127.0.0.1:\(ports[0])"
        var pipe: [Int32] = [0, 0]
        guard unsafe Glibc.pipe(&pipe) == 0, fcntl(pipe[1], F_SETFD, FD_CLOEXEC) == 0 else {
            throw RealServer.Failure(description: "no pipe")
        }
        lifeline = pipe[1]
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments =
            ["-c", Self.script, "sh", folder.path, program] + Self.arguments(ports, folder)
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle(fileDescriptor: pipe[0], closeOnDealloc: true)
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    private static let script = """
        folder=$1
        shift
        "$@" >"$folder/log" 2>&1 </dev/null &
        cat >/dev/null
        kill -9 $!
        rm -rf "$folder"
        """

    private static let identities = """
        {"identities": [{"name": "tests", "actions": ["Admin", "Read", "Write", "List", "Tagging"],
        "credentials": [{"accessKey": "\(RealServer.accessKeyID)", "secretKey": "\(RealServer.secret)"}]}]}
        """

    private static func arguments(_ ports: [Int], _ folder: URL) -> [String] {
        [
            "server", "-dir=\(folder.path)", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
            "-master.telemetry=false", "-master.volumeSizeLimitMB=64", "-volume.max=20",
            "-volume.minFreeSpace=1MiB", "-s3", "-s3.config=\(folder.path)/s3.json",
            "-s3.port.iceberg=0", "-s3.port.lance=0", "-s3.port=\(ports[0])",
            "-s3.port.grpc=\(ports[1])", "-master.port=\(ports[2])",
            "-master.port.grpc=\(ports[3])", "-volume.port=\(ports[4])",
            "-volume.port.grpc=\(ports[5])", "-filer.port=\(ports[6])",
            "-filer.port.grpc=\(ports[7])",
        ]
    }

    var log: String {
        (try? String(contentsOf: folder.appendingPathComponent("log"), encoding: .utf8)) ?? ""
    }

    func stop() { close(lifeline) }
}

import Foundation
import TestSupport

/// A data folder and the addresses of a service that is started there repeatedly.
final class Site: Sendable {
    let folder: URL
    let data: URL
    let port: Int
    let grpcPort: Int
    private let settings: [String: String]

    /// - Parameters:
    ///   - exports: URLs of OTLP backends, with the scheme `otlp_http` unless they start with
    ///     `grpc://`.
    ///   - settings: The settings by their environment variables, without `SYMBOLIST_`.
    init(exports: [String], settings: [String: String] = [:]) throws {
        folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("symbolist-\(UUID().uuidString)")
        data = folder.appendingPathComponent("data")
        try FileManager.default.createDirectory(at: data, withIntermediateDirectories: true)
        port = try freePort()
        grpcPort = try freePort()
        var all = settings
        for (number, url) in exports.enumerated() {
            all.merge(Self.exporter(number, url: url, name: "backend\(number)")) { $1 }
        }
        self.settings = all
    }

    /// Returns the settings of one exporter.
    ///
    /// - Parameter name: The name, or `nil` to use its URL.
    static func exporter(_ number: Int, url: String, name: String?) -> [String: String] {
        let isGRPC = url.hasPrefix("grpc://")
        let values = [
            "NAME": name, "TYPE": isGRPC ? "otlp_grpc" : "otlp_http",
            "URL": isGRPC ? "http" + url.dropFirst(4) : url,
            // A backend that returns must be noticed soon.
            "RETRY_INITIAL": "50ms", "RETRY_MAX": "250ms",
        ].compactMapValues(\.self)
        return Dictionary(
            uniqueKeysWithValues: values.map { ("EXPORT_\(number)_\($0.key)", $0.value) })
    }

    private func environment(_ more: [String: String]) -> [String: String] {
        var environment = ProcessInfo.processInfo.environment.filter {
            !$0.key.hasPrefix("SYMBOLIST_")
        }
        for (name, value) in settings.merging(more, uniquingKeysWith: { $1 }) {
            environment["SYMBOLIST_\(name)"] = value
        }
        return environment
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    var client: Client { Client(port: port) }

    /// Starts the service without waiting for it.
    ///
    /// - Parameters:
    ///   - prefix: A line of shell that runs first in the same process.
    ///   - settings: The settings of this run, in addition to those of all runs.
    func launch(prefix: String? = nil, settings: [String: String] = [:]) throws -> Served {
        let arguments = [
            "serve", "--data", data.path, "--http", "127.0.0.1:\(port)", "--grpc",
            "127.0.0.1:\(grpcPort)",
        ]
        let program =
            prefix.map { ["/bin/sh", "-c", "\($0); exec \"$0\" \"$@\"", executable] }
            ?? [executable]
        return try Served(
            program + arguments, environment: environment(settings),
            log: folder.appendingPathComponent("log"))
    }

    /// Starts the service and waits until it is ready.
    func start(prefix: String? = nil, settings: [String: String] = [:]) async throws -> Served {
        let served = try launch(prefix: prefix, settings: settings)
        let isReady = await eventually {
            if served.hasEnded { return true }
            return (try? await client.get("/readyz"))?.status == 200
        }
        guard isReady, !served.hasEnded else {
            throw NotReady(log: (try? String(contentsOf: served.log, encoding: .utf8)) ?? "")
        }
        return served
    }

    /// Returns the files below a folder of the data folder, by their relative paths.
    func files(in name: String) -> [String] {
        let start = data.appendingPathComponent(name).path
        return (FileManager.default.subpaths(atPath: start) ?? []).filter { path in
            var isFolder: ObjCBool = false
            _ = unsafe FileManager.default.fileExists(
                atPath: "\(start)/\(path)", isDirectory: &isFolder)
            return !isFolder.boolValue
        }.sorted()
    }
}

struct NotReady: Error {
    let log: String
}

/// The built executable, next to the tests.
let executable = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent().appendingPathComponent("symbolist").path

import EmbeddedDatabase
import ErrorDescriptions
import Foundation
import Glibc
import Logging
import Problems
import ServerConfiguration
import SymbolIntake
import SymbolStores
import TaskCoordination

/// Runs the service until it is stopped, on one machine or as a node of a cluster.
struct ServerRun {
    let loaded: LoadedConfiguration
    /// Loads the configuration again from the same sources.
    let read: @Sendable () throws(ConfigurationError) -> LoadedConfiguration

    private var configuration: ServerConfiguration { loaded.configuration }

    func run() async throws {
        AllocatorSettings.applyForService()
        // By default the signal ends the process, so it is ignored until the service handles it.
        signal(SIGHUP, SIG_IGN)
        let process = ServerProcess(loaded, read: read)
        let disk = try await process.diskSpace.run { try dataDisk() }
        let fitted = configuration.fitted(toDiskOf: disk.byteCount).fitted(
            toMemoryOf: ContainerLimits.current.memoryBytes,
            processorCount: ContainerLimits.processorCount)
        process.logger.info("disk: \(fitted.diskBounds)")
        if let cluster = fitted.cluster {
            try await ClusterRun(configuration: fitted, process: process).run(cluster)
        } else {
            try await Self.serve(fitted, process)
        }
        process.logger.info("service: stopped")
    }

    /// Serves on one machine, with everything in the data folder.
    private static func serve(
        _ configuration: ServerConfiguration, _ process: ServerProcess
    ) async throws {
        let database = try await process.diskSpace.run { try open(configuration) }
        let assembly = try await ServerAssembly(
            configuration, on: StoragePorts(database, folder: configuration.dataFolder), process)
        try await assembly.run()
        try await database.close()
    }

    private static func open(_ configuration: ServerConfiguration) throws -> EmbeddedDatabase {
        if let mark = try MoveMark(ofFolder: configuration.dataFolder) { throw mark.refusal }
        return try EmbeddedDatabase(
            folder: configuration.dataFolder, leastFreeBytes: configuration.limits.freeBytes)
    }

    /// Returns the disk of the data folder, which is created if necessary.
    private func dataDisk() throws -> Disk {
        do {
            try FileManager.default.createDirectory(
                atPath: configuration.dataFolder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
        } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
            // ``DiskSpaceWait`` retries after this error.
            throw error
        } catch {
            if (try? FileStatus(of: configuration.dataFolder).kind) == .file {
                throw Problem(
                    "data", detail: "'\(configuration.dataFolder)' is a file",
                    suggestion: "use a folder")
            }
            throw Problem(
                "data",
                detail:
                    "'\(configuration.dataFolder)' cannot be created (\(ErrorDescription(error)))",
                suggestion: "use a writable folder")
        }
        return Disk(folder: configuration.dataFolder)
    }
}

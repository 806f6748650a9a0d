import EmbeddedDatabase
import Foundation
import Glibc
import HTTPService
import Metrics
import ServiceLifecycle
import TaskCoordination

/// Gauges for readiness and for the disk use of the data folder.
struct StorageGauges: Service {
    private let folder: String
    private let readiness: Readiness
    private let queueLimit: Int64
    private let ready = Gauge(label: "symbolist_ready")
    private let free = Gauge(label: "symbolist_disk_free_bytes")
    private let used = Gauge(label: "symbolist_disk_used_bytes")
    private let size = Gauge(label: "symbolist_disk_size_bytes")
    /// The sizes of the database and of its log, or `nil` for a node: its database is elsewhere.
    private let database: (file: Gauge, log: Gauge)?
    private let limit = Gauge(label: "symbolist_queue_limit_bytes")

    private static let interval = Duration.seconds(5)

    /// - Parameter hasDatabase: Whether the database is in the data folder.
    init(folder: String, hasDatabase: Bool, readiness: Readiness, queueLimit: Int64) {
        self.folder = folder
        self.readiness = readiness
        self.queueLimit = queueLimit
        database =
            hasDatabase
            ? (
                Gauge(label: "symbolist_database_bytes"),
                Gauge(label: "symbolist_database_wal_bytes")
            ) : nil
    }

    func run() async {
        await cancelWhenGracefulShutdown {
            await repeatUntilCancelled(pausing: Self.interval) { await show() }
        }
    }

    private func show() async {
        ready.record(await readiness.isReady() ? 1 : 0)
        limit.record(queueLimit)
        showVolume()
        let path = "\(folder)/\(EmbeddedDatabase.fileName)"
        database?.file.record(Self.byteCount(path))
        database?.log.record(Self.byteCount("\(path)-wal"))
    }

    private func showVolume() {
        var volume = statvfs()
        guard unsafe statvfs(folder, &volume) == 0 else { return }
        let block = Double(volume.f_frsize)
        // Blocks reserved for root are not available to the service.
        free.record(Double(volume.f_bavail) * block)
        used.record(Double(volume.f_blocks - volume.f_bfree) * block)
        size.record(Double(volume.f_blocks) * block)
    }

    private static func byteCount(_ path: String) -> Int64 {
        let values = try? URL(fileURLWithPath: path).resourceValues(forKeys: [.fileSizeKey])
        return Int64(values?.fileSize ?? 0)
    }
}

import Logging
import Problems
import ServiceLifecycle

/// Logs when a node starts while its bucket is unreachable. The node serves anyway, because
/// telemetry is stored in the database first.
struct BucketCheck: Service {
    let cluster: Cluster
    let logger: Logger

    func run() async {
        await cancelWhenGracefulShutdown {
            do { try await cluster.checkBucket() } catch  where !Task.isCancelled {
                logger.error(
                    """
                    blobs: the bucket cannot be listed: symbols, pages and the archive wait for \
                    it: \(Problem(error))
                    """)
            } catch {}
        }
        try? await gracefulShutdown()
    }
}

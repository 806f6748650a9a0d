import ServiceLifecycle
import SymbolIntake

/// Maintains stored symbols until the service stops.
struct Upkeep: Service {
    let storage: StorageMaintenance

    func run() async { await cancelWhenGracefulShutdown { await storage.run() } }
}

import Logging
import ServiceLifecycle
import SymbolIntake
import TaskCoordination

/// Makes lookups use the symbols that other nodes store and remove.
struct SymbolChangeFollower: Service {
    let symbols: StoredSymbolIndexes
    let logger: Logger

    private static let pause = Duration.seconds(1)
    /// The number of pauses between readings of the images of builds.
    private static let pausesPerBuildList = 30

    func run() async {
        await cancelWhenGracefulShutdown {
            var count = 0
            await repeatUntilCancelled(pausing: Self.pause) {
                do throws(StorageError) {
                    try await symbols.reflectChanges()
                    if count % Self.pausesPerBuildList == 0 { try await symbols.readAppImages() }
                } catch { logger.error("symbols: changes of other nodes not read: \(error)") }
                count += 1
            }
        }
    }
}

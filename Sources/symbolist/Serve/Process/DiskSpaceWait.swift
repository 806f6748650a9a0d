import ErrorDescriptions
import Ingest
import Logging
import ServiceLifecycle
import SymbolIntake

/// Waits during startup until there is space on a full disk, instead of exiting.
struct DiskSpaceWait: Sendable {
    let logger: Logger

    private static let pause = Duration.seconds(1)
    /// The number of pauses between log lines.
    private static let pausesPerLine = 60

    /// Runs a step of the startup, and retries it while the disk is full.
    ///
    /// - Throws: Any other error of the step.
    func run<Result>(_ step: () async throws -> Result) async throws -> Result {
        var count = 0
        while true {
            do { return try await step() } catch  where Self.isFull(error) {
                if count % Self.pausesPerLine == 0 {
                    let reason = ErrorDescription.text(of: error)
                    logger.error("service: waiting for disk space: \(reason)")
                }
                count += 1
                try await cancelWhenGracefulShutdown { try await Task.sleep(for: Self.pause) }
            }
        }
    }

    private static func isFull(_ error: any Error) -> Bool {
        switch error {
        case let error as JournalError: error.reason == .full
        case let error as IntakeError: error.reason == .full
        default: ErrorDescription(error).isDiskFull
        }
    }
}

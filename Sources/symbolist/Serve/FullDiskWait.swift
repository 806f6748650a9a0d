import ErrorDescriptions
import Foundation
import Ingest
import Logging
import SymbolIntake

/// Waits at the start until other programs leave space on a full disk, instead of ending.
struct FullDiskWait {
    let logger: Logger

    private static let pause = Duration.seconds(1)
    /// How many pauses there are between two lines of the log.
    private static let pausesPerLine = 60

    /// Does one step of the start, again and again while the disk is full.
    ///
    /// - Throws: What the step throws for other reasons.
    func run<Result>(_ step: () async throws -> Result) async throws -> Result {
        var count = 0
        while true {
            do { return try await step() } catch  where Self.isFull(error) {
                if count % Self.pausesPerLine == 0 {
                    let reason = ErrorDescription.text(of: error)
                    logger.error("service: waits for space on the disk: \(reason)")
                }
                count += 1
                try await Task.sleep(for: Self.pause)
            }
        }
    }

    private static func isFull(_ error: any Error) -> Bool {
        switch error {
        case let error as JournalError: error.reason == .full
        case let error as IntakeError: error.reason == .full
        default: (error as? CocoaError)?.code == .fileWriteOutOfSpace
        }
    }
}

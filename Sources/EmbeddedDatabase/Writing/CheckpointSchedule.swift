/// Decides when to copy the write-ahead log into the database (a checkpoint), after which SQLite
/// can restart the log. A state machine without I/O or a clock; all numbers are frames of the log,
/// which are pages.
///
/// SQLite restarts the log only when all of it is copied, and writes append to it during a copy. So
/// copies are repeated until little is left, and the writer copies the rest between two
/// transactions.
struct CheckpointSchedule {
    enum Step: Hashable, Sendable {
        /// Copy on a connection of its own, while writes continue.
        case copy
        /// Copy the rest before the next write.
        case finish
    }

    /// The size of the log at which copying begins.
    private let threshold: Int
    /// The maximum remainder, which is copied while writes wait.
    private let rest: Int
    private var isCopying = false
    /// Whether the log has restarted since the current copy began.
    private var hasRestarted = false
    /// The size of the log after the last commit.
    private var size = 0
    private var copied = 0
    /// The size of the log at which the next step is due.
    private var due: Int

    init(threshold: Int) {
        self.threshold = threshold
        rest = max(threshold / 16, 1)
        due = threshold
    }

    /// - Parameter size: The size of the log after a commit. It is smaller than before if SQLite
    ///   has restarted the log.
    /// - Returns: The step to take now.
    mutating func committed(size: Int) -> Step? {
        if size < self.size {
            copied = 0
            due = threshold
            hasRestarted = true
        }
        self.size = size
        guard !isCopying, size >= due else { return nil }
        if copied > 0, size - copied <= rest { return .finish }
        isCopying = true
        hasRestarted = false
        return .copy
    }

    /// Records the end of a step.
    ///
    /// - Parameter copied: The part of the log that is now copied, or `nil` if the step failed. A
    ///   read of an older state of the database can prevent progress.
    mutating func ended(_ step: Step, copied: Int?) {
        if step == .copy {
            isCopying = false
            // The copied part is no longer in the log.
            if hasRestarted { return }
        }
        let hasProgress = copied.map { $0 > self.copied } ?? false
        self.copied = copied ?? self.copied
        due = size + (step == .finish ? rest : hasProgress ? 0 : threshold)
    }
}

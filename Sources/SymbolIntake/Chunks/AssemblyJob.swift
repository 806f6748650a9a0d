import CallStacks

/// A file to assemble from chunks, with its sender and its purpose.
struct AssemblyJob: Hashable, Sendable {
    var file: ChunkedFile
    var sender: ChunkSender
    var options: UploadOptions
}

/// The state of a job that is running, or that ended without a stored file.
enum AssemblyProgress: Sendable {
    /// A slice of a rejected file.
    struct Identity {
        var image: ImageID
        var architecture: String
        /// Whether its file is stored as the executable of a debug file, once that is stored.
        var isExecutable: Bool
    }

    case running
    /// The file is not a debug file: it is a symbol map, or of a kind that is not stored.
    case accepted(String)
    /// A verdict on the content, and the identities that were found in it.
    case rejected(String, [Identity])
    /// The chunks form a different file. Reported once, because the chunks are then removed.
    case mismatched
    /// Storing the file failed for a reason that is not in the file. Reported once.
    case failed(IntakeError)

    var isRunning: Bool { if case .running = self { true } else { false } }

    /// Whether the chunks are no longer needed.
    var isSpent: Bool {
        switch self {
        case .rejected(_, let identities): !identities.contains(where: \.isExecutable)
        case .accepted, .mismatched: true
        case .running, .failed: false
        }
    }

    fileprivate var isReportedOnce: Bool {
        switch self {
        case .mismatched, .failed: true
        case .running, .accepted, .rejected: false
        }
    }
}

/// The running jobs, and the verdicts of finished ones.
struct AssemblyJobs: Sendable {
    private static let limit = 10_000

    private var progress: [AssemblyJob: AssemblyProgress] = [:]
    /// The number of running jobs of each sender that has any.
    private var running: [ChunkSender: Int] = [:]

    func runningCount(of sender: ChunkSender) -> Int { running[sender] ?? 0 }

    /// Starts a job unless its state is known.
    ///
    /// - Returns: Whether it was started. Verdicts on other files are forgotten if there are too
    ///   many.
    mutating func start(_ job: AssemblyJob) -> Bool {
        guard progress[job] == nil else { return false }
        if progress.count >= Self.limit { progress = progress.filter(\.value.isRunning) }
        set(.running, for: job)
        return true
    }

    /// Ends a job with a verdict, or with `nil` if its file is stored or will be processed again.
    mutating func end(_ job: AssemblyJob, with verdict: AssemblyProgress?) {
        set(verdict, for: job)
    }

    /// Returns the progress of a job, and removes it if it is reported only once.
    mutating func report(_ job: AssemblyJob) -> AssemblyProgress? {
        let found = progress[job]
        if found?.isReportedOnce == true { progress[job] = nil }
        return found
    }

    private mutating func set(_ value: AssemblyProgress?, for job: AssemblyJob) {
        let wasRunning = progress[job]?.isRunning == true
        progress[job] = value
        let change = (value?.isRunning == true ? 1 : 0) - (wasRunning ? 1 : 0)
        let count = runningCount(of: job.sender) + change
        running[job.sender] = count == 0 ? nil : count
    }
}

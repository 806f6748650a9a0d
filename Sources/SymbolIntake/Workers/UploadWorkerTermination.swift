import Glibc
import SymbolStores

/// The way in which a worker process ended.
enum UploadWorkerTermination: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// Killed because it exceeded the time limit.
    case timedOut
    /// Killed because it exceeded the output limit.
    case outputLimitExceeded
    case cancelled
    /// The system could not start it; the value is the `errno`.
    case notStarted(Int32)

    /// - Parameter status: The status from `waitpid`.
    init(status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
    }
}

extension UploadWorkerTermination {
    /// Returns why the file is rejected, such as `exceeded the memory limit of 2 GiB`.
    ///
    /// - Parameter errorOutput: The worker's standard error.
    func reason(limits: UploadWorkerLimits, errorOutput: String) -> String {
        switch self {
        case .exited(let code): "could not be read (exit code \(code))"
        case .signalled(SIGXCPU): "exceeded the CPU time limit of \(limits.processorSeconds) s"
        case .signalled(SIGXFSZ):
            "exceeded the file size limit of \(ByteSizeFormat.text(limits.fileBytes))"
        case .signalled where Self.mentionsMemory(errorOutput):
            "exceeded the memory limit of \(ByteSizeFormat.text(limits.memoryBytes))"
        case .signalled(SIGKILL): "was killed by the system, probably for lack of memory"
        case .signalled(let number): "crashed its worker process (signal \(number))"
        case .timedOut: "exceeded the time limit of \(limits.wallSeconds) s"
        case .outputLimitExceeded: "exceeded the output limit of its worker process"
        case .cancelled: "was not read completely"
        case .notStarted(let number):
            "could not be read: cannot start a worker process: \(systemMessage(number))"
        }
    }

    /// Whether standard error mentions memory, as the runtime does when an allocation fails.
    private static func mentionsMemory(_ errorOutput: String) -> Bool {
        let text = errorOutput.lowercased()
        return text.contains("memory") || text.contains("bad_alloc") || text.contains("allocat")
    }
}

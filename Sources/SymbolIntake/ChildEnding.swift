import Glibc
import SymbolStores

/// How a child ended.
enum ChildEnding: Hashable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// Killed because it took longer than the caller waits.
    case late
    /// Killed because it wrote more than the caller takes.
    case talkative
    case cancelled
    /// The system refused to start it, for the reason of an `errno`.
    case notStarted(Int32)

    /// - Parameter status: What `waitpid` fills in.
    init(status: Int32) {
        let signal = status & 0x7f
        self = signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
    }
}

extension ChildEnding {
    /// Why a file that ended its child is refused: `was killed by its memory limit of 2 GiB`.
    ///
    /// - Parameter complaint: What the child wrote on its standard error.
    func reason(limits: ChildLimits, complaint: String) -> String {
        switch self {
        case .exited(let code): "could not be read (exit code \(code))"
        case .signalled(SIGXCPU): "took more than \(limits.processorSeconds) s of CPU time"
        case .signalled(SIGXFSZ):
            "would have become a file of more than \(ByteText.text(limits.fileBytes))"
        case .signalled where Self.tellsOfMemory(complaint):
            "was killed by its memory limit of \(ByteText.text(limits.memoryBytes))"
        case .signalled(SIGKILL): "was killed by the system, perhaps for want of memory"
        case .signalled(let number): "crashed its reader (signal \(number))"
        case .late: "took longer than \(limits.wallSeconds) s"
        case .talkative: "holds more than can be listed"
        case .cancelled: "was not read to its end"
        case .notStarted(let number):
            "could not be read: no process could be started: \(systemMessage(number))"
        }
    }

    /// The runtime ends a process that gets no memory by a trap, and says so.
    private static func tellsOfMemory(_ complaint: String) -> Bool {
        let text = complaint.lowercased()
        return text.contains("memory") || text.contains("bad_alloc") || text.contains("allocat")
    }
}

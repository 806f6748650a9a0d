import Glibc
import SymbolStores

/// What the system refused to do with a file.
public struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
    public let path: String
    /// An `errno`.
    public let number: Int32

    init(_ path: String, _ number: Int32 = errno) {
        self.path = path
        self.number = number
    }

    /// Whether there is no room left, on the disk or in a quota.
    public var isFull: Bool { number == ENOSPC || number == EDQUOT }

    public var description: String {
        let next =
            isFull ? "free some space, or keep less with retention" : "check the data folder"
        return "\(path): \(systemMessage(number)): \(next)"
    }
}

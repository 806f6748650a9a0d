import Glibc
public import Problems
import SymbolStores

/// The failure of the catalogue, of the blob store, or of a system call on a file.
public struct StorageError: DescribedError, Hashable {
    /// `/data/blobs/ab: no space left on device: free some space, or keep less with retention`.
    public var problem: Problem
    /// Whether the disk or a quota is full.
    public var isFull: Bool
    /// Whether a stored file is damaged, so that it has to be uploaded again.
    public var isDamage: Bool

    public init(_ problem: Problem, isFull: Bool = false, isDamage: Bool = false) {
        self.problem = problem
        self.isFull = isFull
        self.isDamage = isDamage
    }

    /// - Parameter number: The `errno` of a system call on the file.
    init(path: String, number: Int32 = errno) {
        if FileAccess.isDenied(number) {
            self.init(FileAccess.problem(path))
            return
        }
        let isFull = number == ENOSPC || number == EDQUOT
        self.init(
            Problem(
                path, detail: systemMessage(number),
                suggestion: isFull
                    ? "free some space, or keep less with retention" : "check the data folder"),
            isFull: isFull)
    }
}

import Archives
import Decompression
public import Problems

/// Why a compressed file, an archive, or a file in one cannot be read.
public struct UnpackingError: DescribedError {
    public enum Reason: Sendable {
        /// The file is damaged, encrypted, or not in the format that its first bytes indicate.
        case unreadable
        /// Its unpacked size exceeds a limit.
        case overLimit
        case noMemory
    }

    public let reason: Reason
    /// The file, if it is too large for memory but can be read piece by piece.
    public private(set) var largeFile: LargeFile?
    public let problem: Problem

    init(_ error: ArchiveError, largeFile: LargeFile? = nil) {
        self.largeFile = largeFile
        problem = error.problem
        switch error.reason {
        case .tooManyBytes, .ratioTooHigh, .fileTooLarge, .tooManyEntries:
            reason = .overLimit
        default: reason = .unreadable
        }
    }

    init(_ error: CompressionError, of name: String) {
        problem = error.problem.inside(name)
        switch error.reason {
        case .tooLarge: reason = .overLimit
        case .damaged: reason = .unreadable
        case .noMemory: reason = .noMemory
        }
    }

    /// - Parameter damage: A problem of a file or of something inside it.
    init(damage: Problem, of name: String) {
        problem = damage.inside(name)
        reason = .unreadable
    }

    /// Returns the error for a file in an archive.
    func inArchive(at path: String) -> Self {
        var error = self
        error.largeFile?.path = path
        return error
    }
}

import Archives
import Decompression

/// Why a compressed file or an archive, or one file of it, cannot be read.
public struct HeldFileError: Error, CustomStringConvertible {
    public enum Reason: Sendable {
        /// It is damaged, encrypted or not what it begins as.
        case unreadable
        /// It stands for more than there is room for.
        case overLimit
        case noMemory
    }

    public let reason: Reason
    /// What it is called, what happened, and what to do.
    public let description: String

    init(_ error: ArchiveError) {
        description = error.description
        switch error.reason {
        case .tooManyBytes, .ratioTooHigh, .fileTooLarge, .tooManyEntries:
            reason = .overLimit
        default: reason = .unreadable
        }
    }

    init(_ error: CompressionError, of name: String) {
        description = "\(name): \(error)"
        switch error.reason {
        case .tooLarge: reason = .overLimit
        case .damaged: reason = .unreadable
        case .noMemory: reason = .noMemory
        }
    }

    /// A problem that is known as text, without what it is about.
    init(damage: String, of name: String) {
        description = "\(name): \(damage)"
        reason = .unreadable
    }
}

public import CallStacks
public import DebugFiles
public import Problems
import SymbolStores

/// The result for one slice, or one unreadable file, of an upload.
public struct IntakeResult: Hashable, Sendable {
    /// The raw values are those in responses to `POST /v1/symbols`.
    public enum Status: String, Sendable {
        /// Stored, with functions, files and lines.
        case indexed
        /// Stored, with symbols only.
        case stored
        /// Not stored, because the stored file has as much or more information.
        case duplicate
        /// Not stored, because it is unusable.
        case rejected
    }

    /// The identity, or `nil` if the file has none or is unreadable.
    public var image: ImageID?
    public var architecture: String?
    /// The client's name for the file, or its path in the archive.
    public var name: String
    public var kind: String?
    public var status: Status
    /// Why the file was not stored, or what it lacks.
    public var reason: String?
    /// The quality of its symbols, if known.
    public var quality: DebugFileSummary.Quality?

    /// Whether the file is one that may be kept beside its debug file.
    var isExecutable: Bool {
        kind.flatMap { DebugFileKind(rawValue: $0) }?.isELFWithCode == true
    }

    init(rejecting name: String, reason: String) {
        self.name = name
        status = .rejected
        self.reason = reason
    }

    /// The result for a symbol map.
    ///
    /// - Parameter reason: Why it was refused, or `nil` if it is stored.
    init(_ map: SymbolMapFolder.Part, refusedBecause reason: String?) {
        name = map.fileName
        status = reason == nil ? .stored : .rejected
        self.reason = reason ?? SymbolMapFolder.Part.detail
    }

    /// The result for split units.
    ///
    /// - Parameters:
    ///   - user: The name of a debug file that was indexed with them, or `nil` if there is none.
    ///   - besideStored: Whether the upload has a debug file that is stored already, perhaps with
    ///     these split units.
    init(
        _ slice: ListedFile.Slice, of file: ListedFile, readWith user: String?,
        besideStored: Bool
    ) {
        if let user {
            self.init(slice, of: file, status: .indexed, reason: "read together with \(user)")
        } else if besideStored {
            self.init(
                slice, of: file, status: .duplicate,
                reason: "the stored debug files need no other split units")
        } else {
            self.init(
                slice, of: file, status: .rejected,
                reason: "no debug file of the same build refers to it: "
                    + "upload it together with the file that refers to it")
        }
    }

    init(_ slice: ListedFile.Slice, of file: ListedFile, status: Status, reason: String?) {
        image = slice.image
        architecture = slice.architecture
        name = file.name
        kind = slice.kind
        self.status = status
        self.reason = reason
    }
}

/// Why an upload failed as a whole. Slices that were already stored stay stored.
public struct IntakeError: DescribedError, Hashable {
    public enum Reason: Hashable, Sendable {
        /// The disk is full.
        case full
        /// The task that processed the upload was cancelled.
        case cancelled
        /// The system, the catalogue or the blob store failed.
        case unavailable
    }

    public var reason: Reason
    /// `symbols: disk is full: free some space`.
    public var problem: Problem

    init(_ reason: Reason, _ problem: Problem) {
        self.reason = reason
        self.problem = problem
    }

    init(_ error: StorageError) {
        self.init(error.isFull ? .full : .unavailable, error.problem)
    }
}

extension IntakeError {
    init(_ error: any Error) {
        switch error {
        case let error as IntakeError: self = error
        case let error as StorageError: self.init(error)
        case UploadWorkerFailure.failed(let error): self.init(error)
        case UploadWorkerFailure.refused(let reason):
            self.init(.unavailable, Problem(detail: reason))
        case UploadWorkerFailure.cancelled, is CancellationError:
            self.init(
                .cancelled, Problem("upload", detail: "cancelled", suggestion: "send it again"))
        default: self.init(.unavailable, Problem(detail: "\(error)"))
        }
    }
}

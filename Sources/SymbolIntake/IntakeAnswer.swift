public import CallStacks
public import DebugFiles

/// What became of one slice, or one file, of an upload.
public struct IntakeAnswer: Hashable, Sendable {
    /// The raw values are those of the answer to `POST /v1/symbols`.
    public enum Status: String, Sendable {
        /// Kept, and names functions, files and lines.
        case indexed
        /// Kept, though it has only symbols.
        case stored
        /// One that knows as much or more is there already.
        case duplicate
        /// Not kept.
        case rejected
    }

    /// `nil` where the file has none or could not be read so far.
    public var image: ImageID?
    public var architecture: String?
    /// The client's own name for it, or its place in the archive.
    public var name: String
    public var kind: String?
    public var status: Status
    /// Why it was not kept, or what its answers will lack.
    public var reason: String?
    /// How well it answers, as far as it was found out.
    public var quality: DebugFileSummary.Quality?

    init(rejecting name: String, _ reason: String) {
        self.name = name
        status = .rejected
        self.reason = reason
    }

    init(_ slice: ListedFile.Slice, of file: ListedFile, _ status: Status, _ reason: String?) {
        image = slice.image
        architecture = slice.architecture
        name = file.name
        kind = slice.kind
        self.status = status
        self.reason = reason
    }
}

/// Why an upload as a whole came to nothing; what was answered before stays kept.
public struct IntakeError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        /// No room on the disk.
        case full
        /// The task that took the upload was cancelled.
        case cancelled
        /// The system, the catalogue or the blobs would not do what was needed.
        case unavailable
    }

    public var reason: Reason
    /// `symbols: disk is full: free some space…`.
    public var description: String

    init(_ reason: Reason, _ description: String) {
        self.reason = reason
        self.description = description
    }
}

extension IntakeError {
    init(_ error: any Error) {
        switch error {
        case let error as IntakeError: self = error
        case let error as CatalogueError:
            self.init(error.isFull ? .full : .unavailable, error.description)
        case let error as BlobError:
            self.init(error.isFull ? .full : .unavailable, error.description)
        case let error as FileFailure:
            self.init(error.isFull ? .full : .unavailable, error.description)
        case ChildFailure.failed(let text, let isFull):
            self.init(isFull ? .full : .unavailable, text)
        case ChildFailure.refused(let text):
            self.init(.unavailable, text)
        case ChildFailure.cancelled, is CancellationError:
            self.init(.cancelled, "upload: was cancelled: send it again")
        default: self.init(.unavailable, "\(error)")
        }
    }
}

public import CallStacks

/// The diagnostics that are sent again when symbols arrive, and the time at which they are.
public struct ResendTerms: Hashable, Sendable {
    /// The arrival of the oldest diagnostic that is sent again.
    public var oldest: UnixTime
    public var due: UnixTime
    /// Whether symbols of Apple's system images cause re-sends.
    public var includesSystem: Bool

    public init(oldest: UnixTime, due: UnixTime, includesSystem: Bool = false) {
        self.oldest = oldest
        self.due = due
        self.includesSystem = includesSystem
    }
}

/// The result of ``DiagnosticArchive/stepAwakening(of:_:)``.
public struct AwakeningStep: Hashable, Sendable {
    /// The number of diagnostics that were marked.
    public var markedCount: Int
    /// Whether no step is left for the image.
    public var isLast: Bool

    public init(markedCount: Int = 0, isLast: Bool = true) {
        self.markedCount = markedCount
        self.isLast = isLast
    }
}

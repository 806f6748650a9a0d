/// Records of one signal on their way, and what is known of their failures so far.
struct ExportPiece: Sendable {
    /// What the last answer said.
    enum Failure: Sendable {
        /// Not now.
        case transient(reason: String)
        case refusal(reason: String, isForContent: Bool)

        var reason: String {
            switch self {
            case .transient(let reason), .refusal(let reason, _): reason
            }
        }
    }

    var parcel: ExportParcel
    /// `nil` until it fails for the first time.
    var failure: Failure?
    /// When it failed for the first time.
    var firstFailure: Duration?
    /// How many requests of its signal had been sent when it was first refused, and when it was
    /// refused last: what is taken of the later ones was taken by a receiver that had refused this.
    var sendsAtRefusal: (first: Int, last: Int)?
    /// The number of its last request among those of its signal.
    var lastSend = 0
    var failureCount = 0
    /// How often it was refused after others had been taken; see ``ExportLane/confirmationLimit``.
    var confirmationCount = 0
    /// For transient failures: the sum, over its attempts, of the part of other requests that were
    /// taken meanwhile.
    var evidence = 0.0
    /// What the lane had counted at its last failure.
    var countsAtFailure = ExportLane.Counts()
    /// When it may be tried again.
    var due = Duration.zero
    var backOff: ExportBackOff

    init(_ parcel: ExportParcel, retry: RetrySettings) {
        self.parcel = parcel
        backOff = ExportBackOff(retry)
    }

    var isRefused: Bool {
        if case .refusal = failure { true } else { false }
    }

    /// The same history for a part of it.
    func with(_ parcel: ExportParcel, evidence: Double) -> ExportPiece {
        var piece = self
        piece.parcel = parcel
        piece.failureCount = 0
        piece.confirmationCount = 0
        piece.evidence = evidence
        piece.due = .zero
        piece.backOff.reset()
        return piece
    }
}

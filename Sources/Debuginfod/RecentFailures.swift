/// The recent failures of a server, which gets no requests for a while after too many.
///
/// A long run retries a server that was down briefly, and a server that hangs delays only a few
/// images.
struct RecentFailures {
    /// The number of failures within ``window`` after which the server gets no requests for the
    /// same period.
    static let limit = 10
    static let window = Duration.seconds(60)

    private var times: [ContinuousClock.Instant] = []
    private var reopening: ContinuousClock.Instant?

    mutating func record(at now: ContinuousClock.Instant) {
        times.removeAll { $0.advanced(by: Self.window) <= now }
        times.append(now)
        guard times.count >= Self.limit else { return }
        times = []
        reopening = now.advanced(by: Self.window)
    }

    /// Whether the server gets requests.
    func admitsRequest(at now: ContinuousClock.Instant) -> Bool {
        reopening.map { $0 <= now } ?? true
    }
}

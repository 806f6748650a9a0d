/// Decides which dead letters of an exporter are sent again, in rounds. A state machine without
/// I/O.
///
/// Letters are retried when they may succeed: at startup, because the settings may have changed,
/// and when the receiver recovers. A letter that is refused while a request sent later is accepted
/// stays a dead letter under the current settings. For other refusals the cause is unknown, and
/// those letters are retried. Rounds without a delivery become less and less frequent.
struct DeadLetterRetrySchedule {
    /// The maximum number of letters sent in one round.
    static let countLimit = 1_000
    /// The number of consecutive refusals that ends a round.
    static let refusalLimit = 5
    /// The number of refused letters remembered from round to round.
    static let openLimit = 10_000
    /// The maximum number of intervals between two rounds while nothing is accepted.
    static let longestPause = 64

    /// The letter after which the round continues.
    private(set) var lastID: Int64 = 0
    /// Whether this round has ended.
    private(set) var isOver = false
    /// Refused letters, with the number of requests of their signal sent before the refusal.
    private var open: [(id: Int64, signal: Signal, sent: Int)] = []
    private var sentCount = 0
    private var acceptedCount = 0
    private var refusalCount = 0
    /// The number of intervals before the next round, or `nil` if there is nothing to send; and the
    /// number of those that have passed.
    private var pause: Int? = 1
    private var passedCount = 1
    private var recoveryCount = 0

    /// Starts a round if one is due. Call this once in each interval.
    ///
    /// - Parameter recoveries: The number of recoveries of the receiver so far.
    /// - Returns: Whether a round was started.
    mutating func startRound(recoveries: Int) -> Bool {
        passedCount += 1
        let isDue = recoveries > recoveryCount || pause.map { passedCount >= $0 } ?? false
        recoveryCount = recoveries
        guard isDue else { return false }
        isOver = false
        passedCount = 0
        (sentCount, acceptedCount, refusalCount) = (0, 0, 0)
        return true
    }

    mutating func recordAccepted(_ letter: DeadLetter) {
        acceptedCount += 1
        refusalCount = 0
        count(letter)
    }

    /// - Parameter sent: The number of requests of its signal sent before the refusal.
    mutating func recordRefused(_ letter: DeadLetter, sent: Int) {
        open.append((letter.id, letter.signal, sent))
        if open.count > Self.openLimit { open.removeFirst() }
        refusalCount += 1
        count(letter)
        if refusalCount >= Self.refusalLimit { end() }
    }

    /// Ends the round, because the receiver currently accepts nothing.
    mutating func recordUnreachable() { end() }

    /// Records that there is no letter after ``lastID``.
    mutating func recordEnd() {
        lastID = 0
        if sentCount == 0 || refusalCount == 0 {
            isOver = true
            pause = open.isEmpty ? nil : nextPause
        } else {
            end()
        }
    }

    private mutating func count(_ letter: DeadLetter) {
        lastID = letter.id
        sentCount += 1
        if sentCount >= Self.countLimit { end() }
    }

    private mutating func end() {
        isOver = true
        pause = acceptedCount > 0 ? 1 : nextPause
    }

    private var nextPause: Int { min((pause ?? 1) * 2, Self.longestPause) }

    /// Removes and returns the letters that were refused for their content.
    ///
    /// - Parameter isAccepted: Returns whether the receiver accepted a request of a signal that was
    ///   sent after the given number of requests.
    mutating func removeContentRefusals(isAccepted: (Signal, Int) -> Bool) -> [Int64] {
        let ids = open.filter { isAccepted($0.signal, $0.sent) }.map(\.id)
        open.removeAll { isAccepted($0.signal, $0.sent) }
        return ids
    }
}

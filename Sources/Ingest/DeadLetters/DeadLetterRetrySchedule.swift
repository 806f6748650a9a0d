/// Decides which dead letters of an exporter are sent again, in rounds. A state machine without
/// I/O.
///
/// Letters are retried when they may succeed: at startup, because the settings may have changed,
/// and when the receiver recovers. A letter that is refused twice, while a request sent in between
/// is accepted, is not retried under the current settings. Other refusals may be caused by an
/// outage, so those letters are retried. A transient failure or a missing response ends the round,
/// and the next round starts after that letter, so that it does not block others. Rounds without a
/// delivery become less and less frequent.
struct DeadLetterRetrySchedule {
    /// The maximum number of letters sent in one round.
    static let countLimit = 1_000
    /// The number of consecutive refusals of unknown cause that ends a round.
    static let refusalLimit = 5
    /// The number of refused letters remembered from round to round.
    static let rememberedLimit = 10_000
    /// The maximum number of intervals between two rounds while nothing is accepted.
    static let longestPause = 64

    /// The letter after which the round continues.
    private(set) var lastID: Int64 = 0
    /// Whether this round has ended.
    private(set) var isOver = false
    /// The number of requests that had been sent when a letter was first refused, by its id, for
    /// refusals of unknown cause.
    private var refusals: [Int64: Int] = [:]
    /// The letters of ``refusals`` that have not been reached since the start of the list. Those that
    /// are not reached before its end were removed.
    private var unseen: Set<Int64> = []
    /// Whether a letter of the list got no response, and is retried once the others were sent.
    private var hasUnanswered = false
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
        let isRecovered = recoveries > recoveryCount
        recoveryCount = recoveries
        // Refusals during an outage are no evidence against the letters.
        if isRecovered { (lastID, refusals, unseen, hasUnanswered) = (0, [:], [], false) }
        guard isRecovered || pause.map({ passedCount >= $0 }) ?? false else { return false }
        isOver = false
        passedCount = 0
        (sentCount, acceptedCount, refusalCount) = (0, 0, 0)
        return true
    }

    mutating func recordAccepted(_ letter: DeadLetter) {
        acceptedCount += 1
        refusalCount = 0
        refusals[letter.id] = nil
        count(letter)
    }

    /// - Parameters:
    ///   - sent: The number of requests of its signal sent so far.
    ///   - isAccepted: Returns whether the receiver accepted a request of the signal that was sent
    ///     after the given number of requests.
    /// - Returns: Whether the letter's content is the cause.
    mutating func recordRefused(
        _ letter: DeadLetter, sent: Int, isAccepted: (Int) -> Bool
    ) -> Bool {
        count(letter)
        if let first = refusals[letter.id], isAccepted(first) {
            refusals[letter.id] = nil
            return true
        }
        if refusals[letter.id] == nil, refusals.count < Self.rememberedLimit {
            refusals[letter.id] = sent
        }
        refusalCount += 1
        if refusalCount >= Self.refusalLimit { end() }
        return false
    }

    /// Ends the round, because the receiver does not respond, or accepts nothing for now.
    mutating func recordUnanswered(_ letter: DeadLetter) {
        lastID = letter.id
        unseen.remove(letter.id)
        hasUnanswered = true
        end()
    }

    /// Records that there is no letter after ``lastID``.
    mutating func recordEnd() {
        lastID = 0
        for id in unseen { refusals[id] = nil }
        unseen = Set(refusals.keys)
        if refusals.isEmpty, !hasUnanswered {
            isOver = true
            pause = nil
        } else {
            hasUnanswered = false
            end()
        }
    }

    private mutating func count(_ letter: DeadLetter) {
        lastID = letter.id
        unseen.remove(letter.id)
        sentCount += 1
        if sentCount >= Self.countLimit { end() }
    }

    private mutating func end() {
        isOver = true
        pause = acceptedCount > 0 ? 1 : nextPause
    }

    private var nextPause: Int { min((pause ?? 1) * 2, Self.longestPause) }
}

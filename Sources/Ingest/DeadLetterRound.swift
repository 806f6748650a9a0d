/// Which dead letters of an exporter are sent again, and which were refused once more for good, as a
/// machine that neither sends nor waits.
///
/// A letter is sent again when it may fare better: at a start, because the settings may be others,
/// and when the receiver takes requests again after it had not. One that is refused while a request
/// that was sent later is taken stays a dead letter under these settings; of others nothing is known,
/// and they have their turn again. Rounds in which nothing is taken come less and less often.
struct DeadLetterRound {
    /// How many letters one round sends.
    static let countLimit = 1_000
    /// After so many refusals in a row a round is over.
    static let refusalLimit = 5
    /// How many refused letters are remembered from round to round.
    static let openLimit = 10_000
    /// The most intervals between two rounds while nothing is taken.
    static let longestPause = 64

    /// The letter to go on behind.
    private(set) var lastID: Int64 = 0
    /// Whether no more letters are to be sent in this round.
    private(set) var isOver = false
    /// Letters that were refused, with how many requests of their signal had been sent by then.
    private var open: [(id: Int64, signal: Signal, sent: Int)] = []
    private var sentCount = 0
    private var takenCount = 0
    private var refusalCount = 0
    /// How many intervals to wait before the next round, and how many have passed; `nil` while there
    /// is nothing left to send.
    private var pause: Int? = 1
    private var passedCount = 1
    private var recoveryCount = 0

    /// Whether it is time for a round; asked once in each interval.
    ///
    /// - Parameter recoveries: How often the receiver has recovered.
    mutating func isDue(recoveries: Int) -> Bool {
        passedCount += 1
        let isDue = recoveries > recoveryCount || pause.map { passedCount >= $0 } ?? false
        recoveryCount = recoveries
        guard isDue else { return false }
        isOver = false
        passedCount = 0
        (sentCount, takenCount, refusalCount) = (0, 0, 0)
        return true
    }

    mutating func noteTaken(_ letter: DeadLetter) {
        takenCount += 1
        refusalCount = 0
        count(letter)
    }

    /// - Parameter sent: How many requests of its signal had been sent by then.
    mutating func noteRefused(_ letter: DeadLetter, sent: Int) {
        open.append((letter.id, letter.signal, sent))
        if open.count > Self.openLimit { open.removeFirst() }
        refusalCount += 1
        count(letter)
        if refusalCount >= Self.refusalLimit { end() }
    }

    /// The receiver takes nothing now.
    mutating func noteUnreached() { end() }

    /// There is no letter behind ``lastID``.
    mutating func noteEnd() {
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
        pause = takenCount > 0 ? 1 : nextPause
    }

    private var nextPause: Int { min((pause ?? 1) * 2, Self.longestPause) }

    /// Takes out the letters that are known to be refused for what they hold.
    ///
    /// - Parameter isTaken: Whether a request of a signal was taken that was sent after so many.
    mutating func settled(isTaken: (Signal, Int) -> Bool) -> [Int64] {
        let ids = open.filter { isTaken($0.signal, $0.sent) }.map(\.id)
        open.removeAll { isTaken($0.signal, $0.sent) }
        return ids
    }
}

/// Bounds the log lines of one kind. In each window of time the first few are written as they are, and
/// further ones are counted by their subject, for one line each at the end of the window.
struct LineBudget {
    /// How many subjects are counted apart in one window; others are counted together.
    static let subjectLimit = 32
    static let otherSubjects = "others"

    private let lineLimit: Int
    private let window: Duration
    private var end: Duration?
    private var lineCount = 0
    private var sums: [String: Int] = [:]

    init(lines: Int, per window: Duration) {
        lineLimit = lines
        self.window = window
    }

    /// Whether a line about `subject` may be written now.
    ///
    /// - Parameter now: Since any fixed moment.
    mutating func admits(_ subject: String, at now: Duration) -> Bool {
        if end == nil { end = now + window }
        guard lineCount >= lineLimit else {
            lineCount += 1
            return true
        }
        let isKnown = sums[subject] != nil || sums.count < Self.subjectLimit
        sums[isKnown ? subject : Self.otherSubjects, default: 0] += 1
        return false
    }

    /// What was counted, if the window has ended, in the order of the subjects. A new one begins.
    mutating func takeSums(at now: Duration) -> [(subject: String, count: Int)] {
        guard let end, now >= end else { return [] }
        defer {
            self.end = nil
            lineCount = 0
            sums = [:]
        }
        return sums.sorted { $0.key < $1.key }.map { (subject: $0.key, count: $0.value) }
    }
}

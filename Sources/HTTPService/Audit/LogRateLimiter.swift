/// Limits the log lines of one kind. In each time window the first few are written in full; later
/// ones are counted by subject and summarised in one line each when the window ends.
struct LogRateLimiter {
    /// The maximum number of subjects counted separately in a window. Others are counted together.
    static let subjectLimit = 32
    static let otherSubjects = "others"

    private let lineLimit: Int
    private let window: Duration
    private var end: Duration?
    private var lineCount = 0
    private var suppressed: [String: Int] = [:]

    init(lines: Int, per window: Duration) {
        lineLimit = lines
        self.window = window
    }

    /// Returns whether a line about `subject` may be written now, and counts it otherwise.
    ///
    /// - Parameter now: The time since any fixed moment.
    mutating func admits(_ subject: String, at now: Duration) -> Bool {
        if end == nil { end = now + window }
        guard lineCount >= lineLimit else {
            lineCount += 1
            return true
        }
        let isKnown = suppressed[subject] != nil || suppressed.count < Self.subjectLimit
        suppressed[isKnown ? subject : Self.otherSubjects, default: 0] += 1
        return false
    }

    /// Returns the suppressed lines by subject, in order, if the window has ended, and starts a new
    /// window.
    mutating func takeSuppressed(at now: Duration) -> [(subject: String, count: Int)] {
        guard let end, now >= end else { return [] }
        defer {
            self.end = nil
            lineCount = 0
            suppressed = [:]
        }
        return suppressed.sorted { $0.key < $1.key }.map { (subject: $0.key, count: $0.value) }
    }
}

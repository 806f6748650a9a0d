/// What became of one input: its answer, and what is to be said of it.
struct AnsweredInput: Sendable {
    /// What an input turned out to be.
    enum Reading {
        /// Every report in it was read.
        case whole
        /// Some of it could not be read or answered, or nothing.
        case damaged
        /// It holds no report.
        case empty
    }

    /// As it was given; `-` for standard input.
    let path: String
    var reading: Reading
    var parts: [AnswerPart] = []
    /// One line each.
    var problems: [String] = []
    /// What reports lack besides, and what to do about it, one line each.
    var advice: [String] = []
    /// Why nothing was found, and what to give instead; `nil` where something was.
    var nothingFound: String?
    var summary = AnswerSummary()

    init(path: String, reading: Reading) {
        self.path = path
        self.reading = reading
    }
}

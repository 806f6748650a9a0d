import CallStacks
import CrashFiles
import MetricKitPayloads

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

    /// As ``InputFile`` has them.
    let path: String
    let container: String?
    let outputName: String
    var reading: Reading
    var parts: [AnswerPart] = []
    /// One line each.
    var problems: [String] = []
    /// Why nothing was found, and what to give instead; `nil` where something was.
    var nothingFound: String?
    /// Whether nothing in it looks like a report, not even one that is damaged or not read.
    var isNoReport = false
    /// At the end of a folder or archive: how many files of it were not looked at.
    var passedCount: Int?
    var summary = AnswerSummary()

    init(of file: InputFile, reading: Reading) {
        path = file.path
        container = file.container
        outputName = file.outputName
        self.reading = reading
    }

    /// Standard input, or a piece of it.
    init(ofStandardInput reading: Reading) {
        self.init(of: .standardInput, reading: reading)
    }

    /// Notes what could not be read of a file.
    ///
    /// - Parameters:
    ///   - damage: Why not all of it was there to be read.
    ///   - refusals: Why reports have no form as it is wanted, one line each.
    mutating func note(_ file: CrashFile, damage: String?, refusals: [String]) {
        let problems = InputProblems(
            file, noticed: summary.remarks, name: InputBytes(path).name, damage: damage)
        self.problems = problems.lines + refusals
        nothingFound = problems.nothingFound
        isNoReport =
            file.reports.isEmpty && !file.holdsRefusedReport && damage == nil
            && file.unread.allSatisfy { $0.remark == .unknownShape || $0.remark == .jsonInvalid }
        if problems.isDamaged || !refusals.isEmpty { reading = .damaged }
    }

    func withoutProblems() -> Self {
        var answer = self
        answer.problems = []
        answer.nothingFound = nil
        return answer
    }
}

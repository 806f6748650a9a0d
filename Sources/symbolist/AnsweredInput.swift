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
    /// Reports that have no form as it is wanted, one line each.
    var refusals: [String] = []
    /// What its reports lack.
    private var missing: [MissingParts] = []
    /// What reports lack besides, and what to do about it, one line each.
    var advice: [String] = []
    /// Why nothing was found, and what to give instead; `nil` where something was.
    var nothingFound: String?
    /// Whether nothing in it looks like a report, not even one that is damaged or not read.
    var isNoReport = false
    /// At the end of a folder or archive: how many files of it were not looked at.
    var passedCount: Int?
    var summary = AnswerSummary()
    /// The file, where it is too large to be answered as a whole.
    private(set) var stream: InputFile?

    init(of file: InputFile, reading: Reading) {
        path = file.path
        container = file.container
        outputName = file.outputName
        self.reading = reading
    }

    /// A file that is answered piece by piece when its turn comes.
    static func stream(_ file: InputFile) -> Self {
        var answer = Self(of: file, reading: .whole)
        answer.stream = file
        return answer
    }

    /// Adds the answer to the next piece of the same file.
    mutating func append(_ piece: Self) {
        parts += piece.parts
        problems += piece.problems
        advice += piece.advice
        summary.add(piece.summary)
        if piece.reading == .damaged { reading = .damaged }
        guard let nothing = piece.nothingFound else { return }
        nothingFound = nothing
        if reading == .whole { reading = .empty }
    }

    /// Notes the answer to one of its reports.
    mutating func note(_ report: CrashReport, _ symbolicated: SymbolicatedDiagnostic) {
        summary.add(symbolicated)
        if let parts = MissingParts(of: report, answer: symbolicated) { missing.append(parts) }
    }

    /// Notes what could not be read of a file, after its reports.
    ///
    /// - Parameter damage: Why not all of it was there to be read.
    mutating func note(_ file: CrashFile, damage: String?) {
        let name = InputBytes(path).name
        let problems = InputProblems(
            file, noticed: summary.remarks, cut: missing.filter(\.isCut), name: name,
            damage: damage)
        self.problems = problems.lines + refusals
        advice = missing.filter { !$0.isCut }.prefix(InputProblems.lineLimit)
            .map { $0.line(for: name) }
        nothingFound = problems.nothingFound
        isNoReport =
            file.reports.isEmpty && !file.holdsRefusedReport && damage == nil
            && file.unread.allSatisfy { $0.remark == .unknownShape || $0.remark == .jsonInvalid }
        if problems.isDamaged || !refusals.isEmpty { reading = .damaged }
    }

    func withoutProblems() -> Self {
        var answer = self
        answer.problems = []
        answer.advice = []
        answer.nothingFound = nil
        return answer
    }
}

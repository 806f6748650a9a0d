import CrashFiles
import StackRendering

/// What a folder or an archive turns out to hold. Its reports count like files that were given; all
/// that are none are one line together.
struct ContainerTally {
    private let name: String
    /// How many files are no reports.
    private var otherCount = 0
    private var reportCount = 0
    private var problemCount = 0

    /// How many files in it are told of that have problems.
    static let problemLimit = 20

    /// - Parameter path: As it was given.
    init(_ path: String) { name = InputBytes(path).name }

    /// Counts a file.
    ///
    /// - Returns: What is to be told of it.
    mutating func add(_ answer: AnsweredInput) -> AnsweredInput? {
        if answer.isNoReport {
            otherCount += 1
            return nil
        }
        if answer.summary.reportCount > 0 { reportCount += 1 }
        guard !answer.problems.isEmpty || answer.nothingFound != nil else { return answer }
        problemCount += 1
        return problemCount <= Self.problemLimit ? answer : answer.withoutProblems()
    }

    /// Counts files that were not looked at.
    mutating func add(passedCount: Int) { otherCount += passedCount }

    /// Why nothing was found in it, and what to give instead; `nil` where something was.
    var nothingFound: String? {
        guard reportCount == 0, problemCount == 0 else { return nil }
        let what = otherCount == 0 ? "is empty" : "holds no crash or hang report in \(files)"
        return "\(name): \(what): give \(CrashFormat.allWords)"
    }

    /// That there is more in it, one line each.
    var remarks: [String] {
        var lines: [String] = []
        if problemCount > Self.problemLimit {
            lines.append("\(name): \(problemCount - Self.problemLimit) more problems like these")
        }
        if otherCount > 0 {
            lines.append(
                "\(name): \(files) without a report \(otherCount == 1 ? "was" : "were") passed over"
            )
        }
        return lines
    }

    private var files: String { counted(otherCount, "file") }
}

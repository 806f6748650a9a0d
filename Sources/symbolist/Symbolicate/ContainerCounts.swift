import Problems
import ReportFormats
import StackRendering

/// Counts the files of a folder or archive. Reports are treated as if they were given one by one;
/// all other files share one line of the output.
struct ContainerCounts {
    private let name: String
    /// The number of files that are not reports.
    private var otherCount = 0
    private var reportCount = 0
    private var problemCount = 0

    /// The maximum number of files whose problems are printed.
    static let problemLimit = 20

    /// - Parameter path: The path on the command line.
    init(_ path: String) { name = InputBytes(path).name }

    /// Counts a file.
    ///
    /// - Returns: The result to print, or `nil` if the file is not a report.
    mutating func add(_ result: ProcessedInput) -> ProcessedInput? {
        if result.isNoReport {
            otherCount += 1
            return nil
        }
        if result.summary.reportCount > 0 { reportCount += 1 }
        guard !result.problems.isEmpty || result.nothingFound != nil else { return result }
        problemCount += 1
        return problemCount <= Self.problemLimit ? result : result.withoutProblems()
    }

    /// Counts files that were skipped.
    mutating func add(passedCount: Int) { otherCount += passedCount }

    /// Why no report was found, or `nil` if there was one.
    var nothingFound: Problem? {
        guard reportCount == 0, problemCount == 0 else { return nil }
        let detail = otherCount == 0 ? "is empty" : "no crash or hang report in \(files)"
        return Problem(name, detail: detail, suggestion: InputProblems.suggestion)
    }

    /// The lines that state the numbers of problems and files that were not printed.
    var remarks: [String] {
        var lines: [String] = []
        if problemCount > Self.problemLimit {
            lines.append("\(name): \(problemCount - Self.problemLimit) more problems like these")
        }
        if otherCount > 0 {
            lines.append(
                "\(name): \(files) without a report \(otherCount == 1 ? "was" : "were") skipped"
            )
        }
        return lines
    }

    private var files: String { counted(otherCount, "file") }
}

import CallStacks
import MetricKitPayloads
import Problems
import ReportFormats
import Symbolication

/// The result of processing one input: its output, and the messages about it.
struct ProcessedInput: Sendable {
    /// The outcome of reading an input.
    enum Reading {
        /// All reports were read.
        case whole
        /// The input could not be read or processed completely.
        case damaged
        /// The input contains no report.
        case empty
    }

    /// The path of ``InputFile``.
    let path: String
    let container: String?
    let outputName: String
    var reading: Reading
    var parts: [OutputPart] = []
    private var partsByteCount = 0
    var problems: [Problem] = []
    /// The reports that the output format cannot express.
    var refusals: [Problem] = []
    /// The incomplete reports.
    private var missing: [IncompleteReport] = []
    /// The information that the reports lack.
    var advice: [Problem] = []
    /// Images without an identity in the report that were found by path or name instead, with the
    /// identities of their files.
    var uncheckedImages: [ListedImage] = []
    /// Why no report was found, or `nil` if there was one.
    var nothingFound: Problem?
    /// Whether nothing in it looks like a report, not even a damaged or unsupported one.
    var isNoReport = false
    /// The number of skipped files, at the end of a folder or archive.
    var passedCount: Int?
    var summary = RunSummary()
    /// The file, if it is too large to be processed as a whole.
    private(set) var stream: InputFile?

    init(of file: InputFile, reading: Reading) {
        path = file.path
        container = file.container
        outputName = file.outputName
        self.reading = reading
    }

    /// Returns the placeholder for a file that is processed piece by piece, when its turn comes.
    static func stream(_ file: InputFile) -> Self {
        var result = Self(of: file, reading: .whole)
        result.stream = file
        return result
    }

    /// Appends the result for the next piece of the same file. Output that grows beyond
    /// ``InputBytes/limit`` is discarded.
    mutating func append(_ piece: Self) {
        add(piece.parts)
        problems += piece.problems
        advice += piece.advice
        summary.add(piece.summary)
        if piece.reading == .damaged { reading = .damaged }
        guard let nothing = piece.nothingFound else { return }
        nothingFound = nothing
        isNoReport = piece.isNoReport
        if reading == .whole { reading = .empty }
    }

    private mutating func add(_ more: [OutputPart]) {
        guard partsByteCount <= InputBytes.limit else { return }
        parts += more
        partsByteCount += more.reduce(0) { $0 + $1.byteCount }
        guard partsByteCount > InputBytes.limit else { return }
        parts = []
        reading = .damaged
        problems.append(
            Problem(
                InputBytes(path).name,
                detail: "output is larger than \(InputBytes.limit >> 20) MiB",
                suggestion: "symbolicate it alone, without -o or with -o set to a file"))
    }

    /// Records the result for one of its reports.
    ///
    /// - Parameter rules: The rules for the app's images.
    mutating func record(
        _ report: CrashReport, symbolicated: SymbolicatedDiagnostic, rules: InAppRules
    ) {
        summary.add(symbolicated)
        summary.addOptions(usedBy: report, symbolicated: symbolicated, rules: rules)
        if let parts = IncompleteReport(of: report, symbolicated: symbolicated) {
            missing.append(parts)
        }
    }

    /// Records what could not be read in a file. Call this after its reports.
    ///
    /// - Parameters:
    ///   - damage: Why the file is incomplete, or `nil` if it is whole.
    ///   - text: The content of `file`, or `nil` if it is only a piece of the input.
    mutating func record(_ file: CrashFile, damage: Problem?, text: [UInt8]?) {
        let name = InputBytes(path).name
        let problems = InputProblems(
            file, noticed: summary.remarks, truncated: missing.filter(\.isTruncated), name: name,
            damage: damage, text: text)
        self.problems = problems.shown + refusals
        advice = missing.filter { !$0.isTruncated }.prefix(InputProblems.limit)
            .map { $0.problem(of: name) }
        advice += uncheckedIdentities(name)
        nothingFound = problems.nothingFound
        isNoReport =
            file.reports.isEmpty && !file.hasUnsupportedReport && damage == nil
            && file.unread.allSatisfy { $0.remark == .unknownShape || $0.remark == .jsonInvalid }
        if problems.isDamaged || !refusals.isEmpty { reading = .damaged }
    }

    /// Returns the images that were symbolicated with files of possibly other builds.
    private func uncheckedIdentities(_ name: String) -> [Problem] {
        var named: Set<String> = []
        return uncheckedImages.compactMap { image in
            guard let file = image.path ?? image.name, named.insert(file).inserted else {
                return nil
            }
            guard image.id != nil else {
                return Problem(
                    name,
                    detail: "has no build ID for '\(file)', and neither has the file, so its names "
                        + "are wrong if the file was rebuilt",
                    suggestion: "link the program with -Wl,--build-id")
            }
            return Problem(
                name,
                detail:
                    "has no build ID for '\(file)', so its names are wrong if the file was rebuilt",
                suggestion: "pass the build ID of the report's build with "
                    + "--uuid '\(image.name ?? file)=UUID'")
        }
    }

    func withoutProblems() -> Self {
        var result = self
        result.problems = []
        result.advice = []
        result.nothingFound = nil
        return result
    }
}

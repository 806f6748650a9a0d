import LogExtraction
import Problems
import ReportFormats
import SymbolStores

/// The reports of the crash files on the command line of `inspect`.
struct InspectedReports {
    var all: [InspectedReport] = []
    /// Whether a file is damaged, or cannot be read.
    private(set) var isDamaged = false
    /// Whether a file contains no report.
    private(set) var isPartlyEmpty = false
    /// The problems of the parts that could not be read.
    private(set) var problems: [Problem] = []

    /// Reads a crash file, a folder or archive of them, or standard input for `-`.
    mutating func read(_ path: String) async {
        if path == "-" { Console.announceStandardInput(of: "a report") }
        let known = (all.count, problems.count)
        var files = InputFiles([path])
        while let file = files.next() { await read(file) }
        if known == (all.count, problems.count) {
            recordNothingFound(
                Problem(
                    InputBytes(path).name, detail: "contains no crash or hang report",
                    suggestion: Self.suggestion))
        }
    }

    /// Reads the reports in a folder or an archive. If there are none, its problems are discarded.
    ///
    /// - Returns: Whether there are any reports.
    mutating func readAny(in path: String) async -> Bool {
        var all = self
        await all.read(path)
        if all.all.count == self.all.count { return false }
        self = all
        return true
    }

    private mutating func read(_ input: InputFile) async {
        switch input.content {
        case .unread:
            do {
                let bytes = try InputBytes(input.path).read()
                await read(DecodedFile(bytes), of: input)
            } catch {
                addDamage(Problem(error))
            }
        case .file(let unwrapped): await read(unwrapped, of: input)
        case .large(let file):
            do {
                await read(DecodedFile(try await file.bytes(limit: InputBytes.limit)), of: input)
            } catch {
                addDamage(Problem(error))
            }
        case .problem(let problem): addDamage(problem)
        case .noReport, .end: break
        }
    }

    private mutating func addDamage(_ problem: Problem) {
        isDamaged = true
        problems.append(problem)
    }

    private mutating func read(_ unwrapped: DecodedFile, of input: InputFile) async {
        let name = InputBytes(input.path).name
        let file = CrashFileReader().read(unwrapped)
        var summary = RunSummary()
        var missing: [IncompleteReport] = []
        for (number, report) in zip(1..., file.reports) {
            let suffix = file.reports.count > 1 ? ", \(number) of \(file.reports.count)" : ""
            let inspected = await InspectedReport(report, name: name + suffix)
            summary.add(inspected.withoutSymbols)
            missing += [IncompleteReport(of: report, symbolicated: inspected.withoutSymbols)]
                .compactMap(\.self)
            all.append(inspected)
        }
        // Folders and archives of reports contain other files too.
        if file.reports.isEmpty, input.container != nil, unwrapped.damage == nil { return }
        add(
            InputProblems(
                file, noticed: summary.remarks, truncated: missing.filter(\.isTruncated),
                name: name,
                damage: unwrapped.damage, suggestion: Self.suggestion))
    }

    private mutating func add(_ found: InputProblems) {
        isDamaged = isDamaged || found.isDamaged
        problems += found.shown
        if let problem = found.nothingFound { recordNothingFound(problem) }
    }

    private mutating func recordNothingFound(_ problem: Problem) {
        isPartlyEmpty = true
        problems.append(problem)
    }

    private static let suggestion = "use a dSYM, a debug file, or a crash or hang report"
}

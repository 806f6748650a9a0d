import CrashFiles
import SymbolStores

/// The reports of the crash files that `inspect` was given.
struct InspectedReports {
    var all: [InspectedReport] = []
    /// Whether a file is damaged, or cannot be read.
    private(set) var isDamaged = false
    /// Whether a file holds no report.
    private(set) var isPartlyEmpty = false
    /// What could not be read, one line each.
    private(set) var problems: [String] = []

    /// Reads a crash file or what holds some, or standard input for `-`.
    mutating func read(_ path: String) async {
        if path == "-" { Console.announceStandardInput(of: "a report") }
        let known = (all.count, problems.count)
        var files = InputFiles([path])
        while let file = files.next() { await read(file) }
        if known == (all.count, problems.count) {
            noteNothing("\(InputBytes(path).name): holds no crash or hang report: \(Self.next)")
        }
    }

    /// Reads what a folder or an archive holds.
    ///
    /// - Returns: Whether there are any reports; without them nothing is said of it.
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
                await read(UnwrappedFile(bytes), of: input)
            } catch {
                addDamage("\(error)")
            }
        case .file(let unwrapped): await read(unwrapped, of: input)
        case .problem(let line): addDamage(line)
        case .noReport, .end: break
        }
    }

    private mutating func addDamage(_ line: String) {
        isDamaged = true
        problems.append(line)
    }

    private mutating func read(_ unwrapped: UnwrappedFile, of input: InputFile) async {
        let name = InputBytes(input.path).name
        let file = CrashFileReader().read(unwrapped)
        var summary = AnswerSummary()
        var missing: [MissingParts] = []
        for (number, report) in zip(1..., file.reports) {
            let place = file.reports.count > 1 ? ", \(number) of \(file.reports.count)" : ""
            let inspected = await InspectedReport(report, name: name + place)
            summary.add(inspected.answer)
            missing += [MissingParts(of: report, answer: inspected.answer)].compactMap(\.self)
            all.append(inspected)
        }
        // Folders and archives of reports hold other files too.
        if file.reports.isEmpty, input.container != nil, unwrapped.damage == nil { return }
        note(
            InputProblems(
                file, noticed: summary.remarks, cut: missing.filter(\.isCut), name: name,
                damage: unwrapped.damage))
    }

    private mutating func note(_ found: InputProblems) {
        isDamaged = isDamaged || found.isDamaged
        problems += found.lines
        guard let text = found.nothingFound else { return }
        noteNothing(text.replacing("give \(CrashFormat.allWords)", with: Self.next))
    }

    private mutating func noteNothing(_ line: String) {
        isPartlyEmpty = true
        problems.append(line)
    }

    private static let next = "give a dSYM, a debug file, or a crash or hang report"
}

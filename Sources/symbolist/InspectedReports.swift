import CrashFiles
import Decompression
import SymbolStores

/// The reports of the crash files that `inspect` was given.
struct InspectedReports {
    var all: [InspectedReport] = []
    /// Whether a file is damaged, or cannot be read.
    private(set) var isDamaged = false
    /// Whether a file holds no report.
    private(set) var isPartlyEmpty = false

    init(at paths: [String]) async {
        for path in paths { await read(InputBytes(path)) }
    }

    private mutating func read(_ input: InputBytes) async {
        let unwrapped: UnwrappedFile
        do {
            unwrapped = try UnwrappedFile(try input.read(), limit: InputBytes.limit)
        } catch {
            isDamaged = true
            Console.problem(error is SymbolStoreError ? "\(error)" : "\(input.name): \(error)")
            return
        }
        let file = CrashFileReader().read(unwrapped)
        var summary = AnswerSummary()
        var missing: [MissingParts] = []
        for (number, report) in zip(1..., file.reports) {
            let place = file.reports.count > 1 ? ", \(number) of \(file.reports.count)" : ""
            let inspected = await InspectedReport(report, name: input.name + place)
            summary.add(inspected.answer)
            missing += [MissingParts(of: report, answer: inspected.answer)].compactMap(\.self)
            all.append(inspected)
        }
        tell(
            InputProblems(
                file, noticed: summary.remarks, cut: missing.filter(\.isCut), name: input.name,
                damage: unwrapped.damage))
    }

    private mutating func tell(_ problems: InputProblems) {
        isDamaged = isDamaged || problems.isDamaged
        for line in problems.lines { Console.problem(line) }
        guard let text = problems.nothingFound else { return }
        isPartlyEmpty = true
        Console.problem(
            text.replacing(
                "give \(CrashFormat.allWords)",
                with: "give a dSYM, a debug file, or a crash or hang report"))
    }
}

import CrashFiles
import FoundationEssentials
import SymbolStores

/// A run over all inputs: their answers in order, and what is to be said of them.
struct SymbolicateRun {
    /// How many inputs are worked on at once at most; each may be 64 MiB.
    static let widthLimit = 8

    let inputs: [String]
    let access: SymbolAccess
    let isQuiet: Bool
    /// Whether answers name what is missing where whoever runs this reads it.
    let showsMissing: Bool
    let otherBuilds: OtherBuilds
    private var output: AnswerOutput
    private var summary = AnswerSummary()
    private var damagedCount = 0
    private var emptyCount = 0
    private var emptyFileCount = 0
    private var filesWithMissing = 0
    private var toldFormats = false
    private var failure: SymbolStoreError?

    init(
        inputs: [String], access: SymbolAccess, isQuiet: Bool, showsMissing: Bool,
        output: AnswerOutput
    ) {
        self.inputs = inputs
        self.access = access
        self.isQuiet = isQuiet
        self.showsMissing = showsMissing
        self.output = output
        otherBuilds = OtherBuilds(among: access.symbols)
    }

    /// Answers all inputs, some of them at once.
    mutating func answer(_ answering: InputAnswering) async throws {
        let width = min(ProcessInfo.processInfo.activeProcessorCount, Self.widthLimit)
        var run = self
        if inputs == ["-"] {
            await StreamAnswering(answering: answering).forEachPiece { run.take($0) }
            self = run
            return
        }
        if inputs.count > 1 { Console.progress.show(inputs: (0, inputs.count)) }
        var done = 0
        await InOrder.forEach(inputs, width: width) {
            await answering.answer(to: $0)
        } take: { answer in
            done += 1
            run.take(answer)
            if run.inputs.count > 1 { Console.progress.show(inputs: (done, run.inputs.count)) }
        }
        Console.progress.show(inputs: nil)
        self = run
    }

    private mutating func take(_ answer: AnsweredInput) {
        do throws(SymbolStoreError) {
            try output.add(answer)
        } catch {
            fail(error)
        }
        summary.add(answer.summary)
        switch answer.reading {
        case .whole: break
        case .damaged: damagedCount += 1
        case .empty:
            emptyCount += 1
            // A pipe may carry no report at all; a file that was named should hold one.
            if answer.path != "-" { emptyFileCount += 1 }
        }
        for problem in answer.problems { Console.problem(problem) }
        if let nothingFound = answer.nothingFound { reportNothingFound(nothingFound) }
        if !isQuiet, !access.isEmpty, let line = missing(in: answer) {
            filesWithMissing += 1
            if !showsMissing { Console.problem(line) }
        }
        let name = InputBytes(answer.path).name
        if !isQuiet, !access.isEmpty,
            let line = answer.summary.missing.identityLine(for: name)
        {
            Console.problem(line)
        }
    }

    /// The list of all that can be read is long, and said once.
    private mutating func reportNothingFound(_ text: String) {
        Console.problem(
            toldFormats ? text.replacing(CrashFormat.allWords, with: "a report") : text)
        toldFormats = true
    }

    private func missing(in answer: AnsweredInput) -> String? {
        answer.summary.missing.line(
            for: InputBytes(answer.path).name, otherBuild: otherBuilds.insteadOf)
    }

    /// Everything that is written to a folder fails for the same reason, which is told once.
    private mutating func fail(_ error: SymbolStoreError) {
        if failure == nil { Console.problem(error) }
        failure = failure ?? error
    }

    /// Ends the answer, sums up, and throws what the run is to end with.
    mutating func end(isStrict: Bool, serverFailed: Bool) throws {
        do throws(SymbolStoreError) {
            try output.finish()
        } catch {
            fail(error)
        }
        if summary.reportCount > 0 { access.reportIfNoneGiven() }
        if inputs.count > 1, !isQuiet { reportSum() }
        if serverFailed { throw Outcome.serverRefused }
        let isIncomplete = !access.isComplete || damagedCount > 0 || failure != nil
        let isUnresolved = isStrict && !summary.missing.isNothing
        let isPartlyEmpty = emptyFileCount > 0 && summary.reportCount > 0
        if isIncomplete || isUnresolved || isPartlyEmpty { throw Outcome.someFailed }
        if emptyFileCount > 0 { throw Outcome.nothingFound }
    }

    /// `3 files, 4 reports: 3 symbolicated, 1 partial; 1 file without a report`
    private func reportSum() {
        var parts = ["\(inputs.count) files, \(summary.words)"]
        for (count, words) in [(emptyCount, "without a report"), (damagedCount, "not read whole")]
        where count > 0 {
            parts.append("\(count) \(count == 1 ? "file" : "files") \(words)")
        }
        Console.problem(parts.joined(separator: "; "))
        if filesWithMissing > 1,
            let line = summary.missing.line(for: "all files", otherBuild: otherBuilds.insteadOf)
        {
            Console.problem(line)
        }
    }
}

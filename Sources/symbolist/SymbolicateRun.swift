import CallStacks
import CrashFiles
import FoundationEssentials
import StackRendering
import SymbolStores

/// A run over all inputs: their answers in order, and what is to be said of them.
struct SymbolicateRun {
    /// How many inputs are worked on at once at most.
    static let widthLimit = 8

    let inputs: [String]
    let access: SymbolAccess
    let isQuiet: Bool
    /// Whether answers name what is missing where whoever runs this reads it.
    let showsMissing: Bool
    let otherBuilds: OtherBuilds
    /// Those that were given for images, by their names.
    let identities: [String: ImageID]
    private var output: AnswerOutput
    private var summary = AnswerSummary()
    private var damagedCount = 0
    private var emptyCount = 0
    /// How many files were answered; those of a folder or archive each count.
    private var fileCount = 0
    /// Of the folder or archive whose files are coming.
    private var tally: ContainerTally?
    private var emptyFileCount = 0
    private var filesWithMissing = 0
    private var toldFormats = false
    private var failure: SymbolStoreError?

    init(
        inputs: [String], access: SymbolAccess, identities: [String: ImageID], isQuiet: Bool,
        showsMissing: Bool, output: AnswerOutput
    ) {
        self.inputs = inputs
        self.access = access
        self.identities = identities
        self.isQuiet = isQuiet
        self.showsMissing = showsMissing
        self.output = output
        otherBuilds = OtherBuilds(among: access.symbols)
    }

    /// Answers all inputs, some of them at once.
    mutating func answer(_ answering: InputAnswering) async throws {
        let width = min(ProcessInfo.processInfo.activeProcessorCount, Self.widthLimit)
        var run = self
        var start: [UInt8] = []
        if inputs == ["-"] {
            let stream = StreamAnswering(answering: answering)
            guard let packed = await stream.forEachPiece({ run.take($0) }) else {
                self = run
                return
            }
            start = packed
        }
        var files = InputFiles(inputs, standardInputStart: start)
        if files.count > 1 { Console.progress.show(inputs: (0, files.count)) }
        await InOrder.forEach({ files.next() }, width: width) {
            await answering.answer(to: $0)
        } take: { answer in
            if let file = answer.stream {
                await run.takeStream(file, answering)
            } else {
                run.takeFile(answer)
            }
            if files.count > 1 { Console.progress.show(inputs: (run.fileCount, files.count)) }
        }
        Console.progress.show(inputs: nil)
        self = run
    }

    /// Takes the answer to a large file: piece by piece, unless all of it goes to a file of its own.
    private mutating func takeStream(_ file: InputFile, _ answering: InputAnswering) async {
        let stream = StreamAnswering(answering: answering, file: file)
        var run = self
        if file.container == nil, !output.isFolder {
            run.fileCount += 1
            _ = await stream.forEachPiece { run.take($0) }
        } else {
            var whole = AnsweredInput(of: file, reading: .whole)
            _ = await stream.forEachPiece { whole.append($0) }
            run.takeFile(whole)
        }
        self = run
    }

    /// Takes the answer to a file; of those in a folder or archive many may be no report.
    private mutating func takeFile(_ answer: AnsweredInput) {
        guard let container = answer.container else {
            fileCount += 1
            return take(answer)
        }
        var tally = tally ?? ContainerTally(container)
        if let passedCount = answer.passedCount {
            tally.add(passedCount: passedCount)
            end(tally, of: container)
            self.tally = nil
            return
        }
        if let told = tally.add(answer) {
            fileCount += 1
            take(told)
        }
        self.tally = tally
    }

    private mutating func end(_ tally: ContainerTally, of container: String) {
        if let nothingFound = tally.nothingFound {
            fileCount += 1
            countEmpty(container)
            reportNothingFound(nothingFound)
        } else if !isQuiet {
            for line in tally.remarks { Console.problem(line) }
        }
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
        case .empty: countEmpty(answer.path)
        }
        for problem in answer.problems { Console.problem(problem) }
        if !isQuiet { for line in answer.advice { Console.problem(line) } }
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

    /// A pipe may carry no report at all; what was named should hold one.
    private mutating func countEmpty(_ path: String) {
        emptyCount += 1
        if path != "-" { emptyFileCount += 1 }
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
        if summary.reportCount > 0 {
            if !isQuiet { access.reportIfNoneGiven() }
            reportUnusedIdentities()
        }
        if fileCount > 1, !isQuiet { reportSum() }
        if serverFailed { throw Outcome.serverRefused }
        let isIncomplete = !access.isComplete || damagedCount > 0 || failure != nil
        let isUnresolved = isStrict && !summary.missing.isNothing
        let isPartlyEmpty = emptyFileCount > 0 && summary.reportCount > 0
        if isIncomplete || isUnresolved || isPartlyEmpty { throw Outcome.someFailed }
        if emptyFileCount > 0 { throw Outcome.nothingFound }
    }

    /// Says of which images identities were given that no report wants one of.
    private func reportUnusedIdentities() {
        for (name, id) in identities.sorted(by: { $0.key < $1.key })
        where !summary.images.contains(id) {
            Console.problem(summary.missing.unusedIdentityLine(for: name))
        }
    }

    /// `3 files, 4 reports: 3 symbolicated, 1 partial; 1 file without a report`
    private func reportSum() {
        var parts = ["\(fileCount) files, \(summary.words)"]
        for (count, words) in [(emptyCount, "without a report"), (damagedCount, "not read whole")]
        where count > 0 {
            parts.append("\(counted(count, "file")) \(words)")
        }
        Console.problem(parts.joined(separator: "; "))
        if filesWithMissing > 1,
            let line = summary.missing.line(for: "all files", otherBuild: otherBuilds.insteadOf)
        {
            Console.problem(line)
        }
    }
}

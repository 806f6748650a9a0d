import CallStacks
import Problems
import ReportFormats
import StackRendering
import SymbolStores
import Symbolication
import TaskCoordination

/// A run over all inputs: writes their output in order and prints the messages about them.
struct SymbolicateRun {
    /// The maximum number of inputs processed at once.
    static let widthLimit = 8

    let inputs: [String]
    let access: SymbolAccess
    let isQuiet: Bool
    /// Whether the output names missing symbols on the user's terminal, so that messages need not.
    let showsMissing: Bool
    let otherBuilds: OtherBuildFinder
    /// The identities from `--uuid`, by image name.
    let identities: [String: ImageID]
    /// The patterns from `--in-app` and `--not-in-app`.
    let inApp: InAppRules
    /// Whether `--process` was given.
    let choosesProcess: Bool
    private var output: OutputWriter
    private var summary = RunSummary()
    private var damagedCount = 0
    private var emptyCount = 0
    /// The number of files processed. Each file of a folder or archive counts.
    private var fileCount = 0
    /// The counts of the folder or archive being processed.
    private var counts: ContainerCounts?
    private var emptyFileCount = 0
    private var filesWithMissing = 0
    /// The number of outputs that could not be written.
    private var failureCount = 0
    /// The maximum number of failed writes that are printed. On a full disk, all of them fail.
    private static let shownFailuresLimit = 20

    init(
        inputs: [String], access: SymbolAccess, identities: [String: ImageID], inApp: InAppRules,
        choosesProcess: Bool, isQuiet: Bool, showsMissing: Bool, output: OutputWriter
    ) {
        self.inputs = inputs
        self.access = access
        self.identities = identities
        self.inApp = inApp
        self.choosesProcess = choosesProcess
        self.isQuiet = isQuiet
        self.showsMissing = showsMissing
        self.output = output
        otherBuilds = OtherBuildFinder(among: access.symbols)
    }

    /// Processes all inputs, several at once.
    mutating func process(_ processor: InputProcessor) async throws {
        let width = min(ContainerLimits.processorCount, Self.widthLimit)
        var run = self
        var start: [UInt8] = []
        if inputs == ["-"] {
            let stream = StreamProcessor(processor: processor)
            guard let packed = await stream.forEachPiece({ run.take($0) }) else {
                self = run
                return
            }
            start = packed
        }
        var files = InputFiles(inputs, standardInputStart: start)
        if files.count > 1 { Console.progress.show(inputs: (0, files.count)) }
        await OrderedConcurrency.forEach({ files.next() }, width: width) {
            await processor.process($0)
        } take: { result in
            if let file = result.stream {
                await run.takeStream(file, processor: processor)
            } else {
                run.takeFile(result)
            }
            if files.count > 1 { Console.progress.show(inputs: (run.fileCount, files.count)) }
        }
        Console.progress.show(inputs: nil)
        self = run
    }

    /// Processes a large file and writes its output piece by piece, unless it is written to a
    /// folder.
    private mutating func takeStream(_ file: InputFile, processor: InputProcessor) async {
        let stream = StreamProcessor(processor: processor, file: file)
        var run = self
        if file.container == nil, !output.isFolder {
            run.fileCount += 1
            _ = await stream.forEachPiece { run.take($0) }
        } else {
            var whole = ProcessedInput(of: file, reading: .whole)
            _ = await stream.forEachPiece { whole.append($0) }
            run.takeFile(whole)
        }
        self = run
    }

    /// Writes the output of a file. In a folder or archive, many files may not be reports.
    private mutating func takeFile(_ result: ProcessedInput) {
        guard let container = result.container else {
            fileCount += 1
            return take(result)
        }
        var counts = counts ?? ContainerCounts(container)
        if let passedCount = result.passedCount {
            counts.add(passedCount: passedCount)
            if !isQuiet { for note in result.advice { Console.problem(note) } }
            end(counts, of: container)
            self.counts = nil
            return
        }
        if let shown = counts.add(result) {
            fileCount += 1
            take(shown)
        }
        self.counts = counts
    }

    private mutating func end(_ counts: ContainerCounts, of container: String) {
        if let nothingFound = counts.nothingFound {
            fileCount += 1
            countEmpty(container)
            Console.problem(nothingFound)
        } else if !isQuiet {
            for line in counts.remarks { Console.problem(line) }
        }
    }

    private mutating func take(_ result: ProcessedInput) {
        do throws(SymbolStoreError) {
            try output.add(result)
        } catch {
            fail(error)
        }
        summary.add(result.summary)
        switch result.reading {
        case .whole: break
        case .damaged: damagedCount += 1
        case .empty: countEmpty(result.path)
        }
        for problem in result.problems { Console.problem(problem) }
        if !isQuiet { for line in result.advice { Console.problem(line) } }
        if let nothingFound = result.nothingFound { Console.problem(nothingFound) }
        if !isQuiet, !access.isEmpty, let line = missing(in: result) {
            filesWithMissing += 1
            if !showsMissing { Console.problem(line) }
        }
        let name = InputBytes(result.path).name
        if !isQuiet, !access.isEmpty,
            let line = result.summary.missing.identityLine(for: name)
        {
            Console.problem(line)
        }
    }

    /// Counts an input without a report. A pipe may have no report, but a file on the command line
    /// should have one.
    private mutating func countEmpty(_ path: String) {
        emptyCount += 1
        if path != "-" { emptyFileCount += 1 }
    }

    private func missing(in result: ProcessedInput) -> String? {
        result.summary.missing.line(
            for: InputBytes(result.path).name, otherBuild: otherBuilds.otherBuild(of:))
    }

    /// Reports a failed write.
    private mutating func fail(_ error: SymbolStoreError) {
        failureCount += 1
        if failureCount <= Self.shownFailuresLimit { Console.problem(error) }
    }

    /// Ends the output, prints the summary, and throws the exit code if it is not 0.
    mutating func end(isStrict: Bool, serverFailed: Bool) async throws {
        do throws(SymbolStoreError) {
            try output.finish()
        } catch {
            fail(error)
        }
        if failureCount > Self.shownFailuresLimit {
            let more = counted(failureCount - Self.shownFailuresLimit, "more output")
            Console.problem("\(more) could not be written")
        }
        if summary.reportCount > 0 {
            if !isQuiet { await access.reportIfNoneGiven() }
            reportUnusedIdentities()
            if !isQuiet { reportUnusedChoices() }
        }
        if fileCount > 1, !isQuiet { reportSum() }
        if serverFailed { throw Outcome.serverRefused }
        let isIncomplete = !access.isComplete || damagedCount > 0 || failureCount > 0
        let isUnresolved = isStrict && !summary.missing.isNothing
        let isPartlyEmpty = emptyFileCount > 0 && summary.reportCount > 0
        if isIncomplete || isUnresolved || isPartlyEmpty { throw Outcome.someFailed }
        if emptyFileCount > 0 { throw Outcome.nothingFound }
    }

    /// Reports identities from `--uuid` that no report uses.
    private func reportUnusedIdentities() {
        for (name, id) in identities.sorted(by: { $0.key < $1.key })
        where !summary.images.contains(id) {
            Console.problem(summary.missing.unusedIdentityLine(for: name))
        }
    }

    /// Reports patterns that match no image, and `--process` if there is only one to choose from.
    private func reportUnusedChoices() {
        for (option, patterns) in [("--in-app", inApp.app), ("--not-in-app", inApp.system)] {
            for pattern in patterns where !summary.usedPatterns.contains(pattern) {
                Console.problem(
                    Problem(
                        "\(option) \(pattern)", detail: "no image has this name or path",
                        suggestion: "leave it out, or use '*' at either end"))
            }
        }
        guard choosesProcess, !summary.includesDump else { return }
        Console.problem(
            Problem(
                "--process", detail: "no report is a spindump or a stackshot",
                suggestion: "leave it out"))
    }

    /// `3 files, 4 reports: 3 symbolicated, 1 partial; 1 file without a report`
    private func reportSum() {
        var parts = ["\(fileCount) files, \(summary.words)"]
        for (count, words) in [
            (emptyCount, "without a report"), (damagedCount, "not read completely"),
        ]
        where count > 0 {
            parts.append("\(counted(count, "file")) \(words)")
        }
        Console.problem(parts.joined(separator: "; "))
        if filesWithMissing > 1,
            let line = summary.missing.line(
                for: "all files", otherBuild: otherBuilds.otherBuild(of:))
        {
            Console.problem(line)
        }
    }
}

import CallStacks
import CrashFiles
import JSONText
import StackRendering
import SymbolStores
import Symbolication

/// Answers one input: reads it, symbolicates its reports, and writes the answer down.
struct InputAnswering: Sendable {
    let format: SymbolicateCommand.Format
    let text: StackText
    let access: SymbolAccess
    let otherBuilds: OtherBuilds
    let sources: SourceFolders
    /// Of images that reports name without one, by their names.
    let identities: [String: ImageID]
    let keepsInlinedCalls: Bool
    /// Whether whoever runs this reads the answers, and may copy commands from them. Otherwise they
    /// are the same whatever the input is called.
    let namesInput: Bool
    /// Whether answers of several files stand one after another.
    let joinsAnswers: Bool
    /// Whether there are other inputs.
    let isOneOfSeveral: Bool

    func answer(to file: InputFile) async -> AnsweredInput {
        var nothing = AnsweredInput(of: file, reading: .damaged)
        switch file.content {
        case .file(let unwrapped): return await answer(to: unwrapped, of: file)
        case .noReport(let line):
            nothing.reading = .empty
            nothing.nothingFound = line
        case .problem(let line): nothing.problems = [line]
        case .end(let passedCount):
            nothing.reading = .whole
            nothing.passedCount = passedCount
        case .unread:
            do {
                let received = try InputBytes(file.path).read()
                return await answer(to: UnwrappedFile(received), of: file)
            } catch {
                nothing.problems = ["\(error)"]
            }
        }
        return nothing
    }

    /// - Parameters:
    ///   - unwrapped: What `file` holds.
    ///   - isWholeInput: Whether that is all of it.
    func answer(
        to unwrapped: UnwrappedFile, of input: InputFile, isWholeInput: Bool = true
    ) async -> AnsweredInput {
        let file = CrashFileReader(identities: identities).read(unwrapped)
        let symbolicator = Symbolicator(
            provider: access.provider, findsCallStarts: format.showsCallDistances)
        var answer = AnsweredInput(of: input, reading: file.reports.isEmpty ? .empty : .whole)
        var written: [AnswerPart] = []
        var edits: [Edit] = []
        var refusals: [String] = []
        for (number, report) in zip(1..., file.reports) {
            var symbolicated = await symbolicator.symbolicate(
                report.resolved(architectureOf: access.symbols.architecture(of:)))
            if !keepsInlinedCalls { symbolicated = symbolicated.withoutInlinedCalls() }
            answer.summary.add(symbolicated)
            if format == .same {
                edits += report.edits(with: symbolicated)
                continue
            }
            let heading = heading(of: input, number, in: file)
            do throws(CrashForm.Refusal) {
                written.append(.report(try bytes(of: symbolicated, input), heading: heading))
            } catch {
                refusals.append("\(heading ?? InputBytes(input.path).name): \(error)")
            }
        }
        // What is no report at all may be anything, and a terminal obeys control characters.
        let passesThrough =
            input.container == nil && (format == .same || !isWholeInput || !Console.showsResults)
        let isSame = format == .same && !file.reports.isEmpty
        if !written.isEmpty || isSame || passesThrough {
            let isUnchanged = format == .same && edits.isEmpty
            answer.parts =
                isUnchanged
                ? [.lines(unwrapped.received)] : parts(written, of: file, unwrapped, edits)
        }
        answer.note(file, damage: unwrapped.damage, refusals: refusals)
        await addSymbolProblems(to: &answer)
        return answer
    }

    /// - Throws: Where a report has no form as it is wanted.
    private func bytes(
        of report: SymbolicatedDiagnostic, _ input: InputFile
    ) throws(CrashForm.Refusal) -> [UInt8] {
        switch format {
        case .json:
            var writer = JSONWriter()
            StackJSON().write(report, to: &writer)
            return writer.bytes
        case .crash: return Array(try CrashForm(of: report).text.utf8)
        case .markdown:
            return Array(markdown.report(of: report, with: context(of: report, input)).utf8)
        case .text, .same:
            return Array(text.report(of: report, with: context(of: report, input)).utf8)
        }
    }

    private var markdown: MarkdownReport { MarkdownReport(usesFullPaths: text.usesFullPaths) }

    private func context(of report: SymbolicatedDiagnostic, _ input: InputFile) -> ReportContext {
        ReportContext(
            excerpts: sources.excerpts(for: report),
            input: namesInput ? input.container ?? input.path : nil,
            otherBuilds: otherBuilds.insteadOf(report.wantedImages.app))
    }

    /// - Parameter written: The answers to the reports of `file`, in their order.
    private func parts(
        _ written: [AnswerPart], of file: CrashFile, _ unwrapped: UnwrappedFile, _ edits: [Edit]
    ) -> [AnswerPart] {
        let bytes = unwrapped.bytes
        switch format {
        case .same: return [.lines(unwrapped.encoded(edits.applied(to: bytes)))]
        case .json, .crash, .markdown: return written
        case .text:
            return file.pieces(of: bytes).map { piece in
                switch piece {
                case .report(let number): written[number]
                case .lines(let range): .lines(Array(bytes[range]))
                }
            }
        }
    }

    /// What tells a report from the others. Those of a log stand in their places between its lines.
    private func heading(of input: InputFile, _ number: Int, in file: CrashFile) -> String? {
        let name = InputBytes(input.path).name
        let count = file.reports.count
        guard count > 1, !file.reports.allSatisfy(\.format.standsInLogs) else {
            return joinsAnswers && (isOneOfSeveral || input.container != nil) ? name : nil
        }
        let label = file.reports[number - 1].label.map { "\($0), " } ?? ""
        return "\(name), \(label)\(number) of \(count)"
    }

    /// Says why damaged symbols could not be used.
    private func addSymbolProblems(to answer: inout AnsweredInput) async {
        for image in answer.summary.damagedImages {
            if let problem = await access.symbols.problem(of: image) {
                answer.problems.append("\(problem)")
            }
        }
    }
}

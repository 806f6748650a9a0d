import CallStacks
import CrashFiles
import Decompression
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
    /// Whether there are other inputs, whose answers stand beside these.
    let isOneOfSeveral: Bool

    func answer(to path: String) async -> AnsweredInput {
        do {
            return await answer(to: try InputBytes(path).read(), path: path)
        } catch {
            var answer = AnsweredInput(path: path, reading: .damaged)
            answer.problems = ["\(error)"]
            return answer
        }
    }

    /// - Parameters:
    ///   - received: What was read from `path`.
    ///   - isWholeInput: Whether that is all of it.
    func answer(
        to received: [UInt8], path: String, isWholeInput: Bool = true
    ) async -> AnsweredInput {
        let bytes: [UInt8]
        do throws(CompressionError) {
            bytes = try UnwrappedFile(received, limit: InputBytes.limit).bytes
        } catch {
            return damaged(received, path, "\(error)")
        }
        let file = CrashFileReader(identities: identities).read(bytes)
        let symbolicator = Symbolicator(
            provider: access.provider, findsCallStarts: format.showsCallDistances)
        var answer = AnsweredInput(path: path, reading: file.reports.isEmpty ? .empty : .whole)
        var written: [AnswerPart] = []
        var edits: [Edit] = []
        var refusals: [String] = []
        for (number, report) in zip(1..., file.reports) {
            var symbolicated = await symbolicated(report, by: symbolicator)
            if !keepsInlinedCalls { symbolicated = symbolicated.withoutInlinedCalls() }
            answer.summary.add(symbolicated)
            if format == .same {
                edits += report.edits(with: symbolicated)
                continue
            }
            let heading = heading(of: path, number, in: file)
            do throws(CrashForm.Refusal) {
                written.append(.report(try self.bytes(of: symbolicated, path), heading: heading))
            } catch {
                refusals.append("\(heading ?? InputBytes(path).name): \(error)")
            }
        }
        // What is no report at all may be anything, and a terminal obeys control characters.
        if !written.isEmpty || format == .same || !isWholeInput || !Console.showsResults {
            let isUnchanged = format == .same && edits.isEmpty
            answer.parts =
                isUnchanged ? [.lines(received)] : parts(written, of: file, bytes, edits)
        }
        let problems = InputProblems(
            file, noticed: answer.summary.remarks, name: InputBytes(path).name)
        answer.problems = problems.lines + refusals
        answer.nothingFound = problems.nothingFound
        if problems.isDamaged || !refusals.isEmpty { answer.reading = .damaged }
        await addSymbolProblems(to: &answer)
        return answer
    }

    /// The answer to a report; again when symbols that it misses have arrived, where somebody waits.
    private func symbolicated(
        _ report: CrashReport, by symbolicator: Symbolicator
    ) async -> SymbolicatedDiagnostic {
        while true {
            let architectures = await access.architectures(of: report.imageIDs)
            let answer = await symbolicator.symbolicate(
                report.resolved { architectures[$0] })
            let missing = answer.wantedImages.app.filter { $0.status == .missing }
            guard await access.arrival(of: missing.compactMap(\.image)) else { return answer }
        }
    }

    /// An input of which nothing can be read, which passes through where its own form is wanted.
    private func damaged(_ received: [UInt8], _ path: String, _ reason: String) -> AnsweredInput {
        var answer = AnsweredInput(path: path, reading: .damaged)
        answer.problems = ["\(InputBytes(path).name): \(reason)"]
        if format == .same { answer.parts = [.lines(received)] }
        return answer
    }

    /// - Throws: Where a report has no form as it is wanted.
    private func bytes(
        of report: SymbolicatedDiagnostic, _ path: String
    ) throws(CrashForm.Refusal) -> [UInt8] {
        switch format {
        case .json:
            var writer = JSONWriter()
            StackJSON().write(report, to: &writer)
            return writer.bytes
        case .crash: return Array(try CrashForm(of: report).text.utf8)
        case .markdown:
            return Array(markdown.report(of: report, with: context(of: report, path)).utf8)
        case .text, .same:
            return Array(text.report(of: report, with: context(of: report, path)).utf8)
        }
    }

    private var markdown: MarkdownReport { MarkdownReport(usesFullPaths: text.usesFullPaths) }

    private func context(of report: SymbolicatedDiagnostic, _ path: String) -> ReportContext {
        ReportContext(
            excerpts: sources.excerpts(for: report), input: namesInput ? path : nil,
            otherBuilds: otherBuilds.insteadOf(report.wantedImages.app))
    }

    /// - Parameter written: The answers to the reports of `file`, in their order.
    private func parts(
        _ written: [AnswerPart], of file: CrashFile, _ bytes: [UInt8], _ edits: [Edit]
    ) -> [AnswerPart] {
        switch format {
        case .same: return [.lines(edits.applied(to: bytes))]
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
    private func heading(of path: String, _ number: Int, in file: CrashFile) -> String? {
        let name = InputBytes(path).name
        let count = file.reports.count
        guard count > 1, !file.reports.allSatisfy(\.format.standsInLogs) else {
            return isOneOfSeveral ? name : nil
        }
        let label = file.reports[number - 1].label.map { "\($0), " } ?? ""
        return "\(name), \(label)\(number) of \(count)"
    }

    /// Says why damaged symbols could not be used.
    private func addSymbolProblems(to answer: inout AnsweredInput) async {
        for image in answer.summary.damagedImages {
            if let problem = await access.problem(of: image) {
                answer.problems.append("\(problem)")
            }
        }
    }
}

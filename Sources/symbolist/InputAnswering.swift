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
    let symbols: LocalSymbols
    let otherBuilds: OtherBuilds
    let sources: SourceFolders
    let keepsInlinedCalls: Bool
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

    /// - Parameter bytes: What was read from `path`.
    func answer(to bytes: [UInt8], path: String) async -> AnsweredInput {
        let file = CrashFileReader().read(bytes)
        let symbolicator = Symbolicator(provider: symbols)
        var answer = AnsweredInput(path: path, reading: file.reports.isEmpty ? .empty : .whole)
        var written: [AnswerPart] = []
        var edits: [Edit] = []
        for (number, report) in zip(1..., file.reports) {
            var symbolicated = await symbolicator.symbolicate(
                report.resolved(architectureOf: symbols.architecture(of:)))
            if !keepsInlinedCalls { symbolicated = symbolicated.withoutInlinedCalls() }
            answer.summary.add(symbolicated)
            if format == .same {
                edits += report.edits(with: symbolicated)
            } else {
                let heading = heading(of: path, number, of: file.reports.count, report.label)
                written.append(.report(self.bytes(of: symbolicated, path), heading: heading))
            }
        }
        answer.parts = parts(written, of: file, bytes, edits)
        let problems = InputProblems(
            file, bytes, noticed: answer.summary.remarks, name: InputBytes(path).name)
        answer.problems = problems.lines
        answer.nothingFound = problems.nothingFound
        if problems.isDamaged { answer.reading = .damaged }
        await addSymbolProblems(to: &answer)
        return answer
    }

    private func bytes(of report: SymbolicatedDiagnostic, _ path: String) -> [UInt8] {
        if format == .json {
            var writer = JSONWriter()
            StackJSON().write(report, to: &writer)
            return writer.bytes
        }
        let context = ReportContext(
            excerpts: sources.excerpts(for: report), input: path,
            otherBuilds: otherBuilds.insteadOf(report.wantedImages.app))
        return Array(text.report(of: report, with: context).utf8)
    }

    /// - Parameter written: The answers to the reports of `file`, in their order.
    private func parts(
        _ written: [AnswerPart], of file: CrashFile, _ bytes: [UInt8], _ edits: [Edit]
    ) -> [AnswerPart] {
        switch format {
        case .same: return [.lines(edits.isEmpty ? bytes : edits.applied(to: bytes))]
        case .json: return written
        case .text:
            // What is no report at all may be anything, and a terminal obeys control characters.
            if written.isEmpty, Console.showsResults { return [] }
            return file.pieces(byteCount: bytes.count).map { piece in
                switch piece {
                case .report(let number): written[number]
                case .lines(let range): .lines(Array(bytes[range]))
                }
            }
        }
    }

    private func heading(
        of path: String, _ number: Int, of count: Int, _ label: String?
    ) -> String? {
        let name = InputBytes(path).name
        guard count > 1 else { return isOneOfSeveral ? name : nil }
        return "\(name), \(label.map { "\($0), " } ?? "")\(number) of \(count)"
    }

    /// Says why damaged symbols could not be used.
    private func addSymbolProblems(to answer: inout AnsweredInput) async {
        for image in answer.summary.damagedImages {
            if let problem = await symbols.problem(of: image) {
                answer.problems.append("\(problem)")
            }
        }
    }
}

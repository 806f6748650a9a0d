import CallStacks
import CrashFiles
import MetricKitPayloads
import StackRendering
import SymbolStores
import Symbolication

/// Answers one input: reads it, symbolicates its reports, and writes the answer down.
struct InputAnswering: Sendable {
    let format: SymbolicateCommand.Format
    let writer: ReportWriter
    let access: SymbolAccess
    let processes: ProcessChoice
    /// What is left out of answers, in whichever form.
    let redaction: RedactionLevel
    /// What is written into files besides what their forms always have.
    let writing: WritingOptions
    /// Of images that reports name without one, by their names.
    let identities: [String: ImageID]
    /// The names of those that count more than what reports state.
    let overriddenNames: Set<String>
    /// Which images are the app's.
    let inApp: InAppRules
    let keepsInlinedCalls: Bool
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
            if Self.isLarge(file.path) { return .stream(file) }
            do {
                let received = try InputBytes(file.path).read()
                return await answer(to: UnwrappedFile(received), of: file)
            } catch {
                nothing.problems = ["\(error)"]
            }
        }
        return nothing
    }

    private static func isLarge(_ path: String) -> Bool {
        guard let status = try? FileStatus(of: path) else { return false }
        return status.kind == .file && status.size > InputBytes.wholeFileLimit
    }

    /// - Parameters:
    ///   - received: What `input` holds.
    ///   - isWholeInput: Whether that is all of it.
    func answer(
        to received: UnwrappedFile, of input: InputFile, isWholeInput: Bool = true
    ) async -> AnsweredInput {
        let (file, answered) = read(received)
        let symbolicator = Symbolicator(
            provider: access.provider, inApp: { [inApp] in inApp },
            findsCallStarts: format.showsCallDistances)
        var answer = AnsweredInput(of: input, reading: file.reports.isEmpty ? .empty : .whole)
        var written: [AnswerPart] = []
        var edits: [Edit] = []
        var budget = EditBudget(fileByteCount: answered.bytes.count)
        for (number, report) in zip(1..., file.reports) {
            let symbolicated = await shown(report, by: symbolicator)
            answer.note(report, symbolicated)
            if format == .same {
                edits += report.edits(with: symbolicated, options: writing, &budget)
                continue
            }
            let heading = heading(of: input, number, in: file)
            do throws(CrashForm.Refusal) {
                let bytes = try writer.bytes(of: symbolicated, in: input)
                written.append(.report(bytes, heading: heading))
            } catch {
                answer.refusals.append("\(heading ?? InputBytes(input.path).name): \(error)")
            }
        }
        // What is no report at all may be anything, and a terminal obeys control characters.
        let passesThrough =
            input.container == nil && (format == .same || !isWholeInput || !Console.showsResults)
        if !file.reports.isEmpty || passesThrough {
            answer.parts =
                format == .same
                ? [.lines(rewritten(received, as: answered, edits))]
                : parts(written, of: file, answered.bytes)
        }
        answer.note(file, damage: received.damage)
        // Forms that have no place for remarks.
        if format == .same || format == .crash,
            answer.summary.remarks.contains(.identityOverridden)
        {
            answer.advice.append(
                "\(InputBytes(input.path).name): \(Remark.identityOverridden.words)")
        }
        await addSymbolProblems(to: &answer)
        return answer
    }

    /// The reports of a file, and the file as it is answered.
    private func read(_ unwrapped: UnwrappedFile) -> (CrashFile, UnwrappedFile) {
        var limits = PayloadLimits()
        limits.bytes = InputBytes.limit
        var reader = CrashFileReader(limits: limits, identities: identities, processes: processes)
        reader.overriddenNames = overriddenNames
        let file = reader.read(unwrapped)
        let redacted = FileRedaction(redaction).redacted(unwrapped.bytes, readAs: file)
        if redacted == unwrapped.bytes { return (file, unwrapped) }
        let answered = unwrapped.holding(redacted)
        return (reader.read(answered), answered)
    }

    /// The answer to a report as it is written, in whichever form.
    private func shown(
        _ report: CrashReport, by symbolicator: Symbolicator
    ) async -> SymbolicatedDiagnostic {
        let answer = await symbolicated(report, by: symbolicator)
        return (keepsInlinedCalls ? answer : answer.withoutInlinedCalls()).redacted(redaction)
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

    /// The bytes of a file in its own form; as it came where nothing in it changed.
    private func rewritten(
        _ received: UnwrappedFile, as answered: UnwrappedFile, _ edits: [Edit]
    ) -> [UInt8] {
        if edits.isEmpty, answered.bytes == received.bytes { return received.received }
        return answered.encoded(edits.applied(to: answered.bytes))
    }

    /// - Parameter written: The answers to the reports of `file`, in their order.
    private func parts(
        _ written: [AnswerPart], of file: CrashFile, _ bytes: [UInt8]
    ) -> [AnswerPart] {
        guard format.keepsLines else { return written }
        return file.pieces(of: bytes).map { piece in
            switch piece {
            case .report(let number): written[number]
            case .lines(let range): .lines(Array(bytes[range]))
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
            if let problem = await access.problem(of: image) {
                answer.problems.append("\(problem)")
            }
        }
    }
}

import CallStacks
import Debuginfod
import LogExtraction
import Problems
import ReportFormats
import ReportProcessing
import StackRendering
import SymbolStores
import Symbolication

/// Processes one input: reads it, symbolicates its reports, and renders the output.
struct InputProcessor: Sendable {
    let processor: ReportProcessor
    let access: SymbolAccess
    /// The rules for which images belong to the app.
    let inApp: InAppRules
    /// The images among the given symbols, by name.
    let otherBuilds: OtherBuildFinder
    let sources: SourceFolders
    /// Whether the output may contain the input's path, for users who copy commands from it.
    /// Otherwise, the output does not depend on the path.
    let namesInput: Bool
    /// Whether the outputs of several files are joined.
    let joinsOutputs: Bool
    /// Whether there are other inputs.
    let isOneOfSeveral: Bool

    var format: OutputFormat { processor.format }

    func process(_ file: InputFile) async -> ProcessedInput {
        var nothing = ProcessedInput(of: file, reading: .damaged)
        switch file.content {
        case .file(let unwrapped): return await process(unwrapped, of: file)
        case .large: return .stream(file)
        case .noReport(let problem):
            nothing.reading = .empty
            nothing.nothingFound = problem
        case .problem(let problem): nothing.problems = [problem]
        case .end(let passedCount, let notes):
            nothing.reading = .whole
            nothing.passedCount = passedCount
            nothing.advice = notes
        case .unread:
            if Self.isLarge(file.path) { return .stream(file) }
            do {
                let received = try InputBytes(file.path).read()
                return await process(DecodedFile(received), of: file)
            } catch {
                nothing.problems = [Problem(error)]
            }
        }
        return nothing
    }

    private static func isLarge(_ path: String) -> Bool {
        guard let status = try? FileStatus(of: path) else { return false }
        return status.kind == .file && status.size > Int64(InputBytes.wholeFileLimit)
    }

    /// - Parameters:
    ///   - received: The contents of `input`, or a piece of them.
    ///   - isWholeInput: Whether `received` is all of it.
    func process(
        _ received: DecodedFile, of input: InputFile, isWholeInput: Bool = true
    ) async -> ProcessedInput {
        let source = processor.read(received)
        let file = source.content
        let symbolicator = Symbolicator(
            provider: access.provider, inApp: { [inApp] in inApp },
            findsCallStarts: format.showsCallDistances)
        var result = ProcessedInput(of: input, reading: file.reports.isEmpty ? .empty : .whole)
        var uncheckedImages: [ListedImage] = []
        let processed = await processor.process(source) { report, paths in
            var report = report
            uncheckedImages += await identify(&report, at: paths)
            return await symbolicated(report, by: symbolicator)
        } context: {
            context(of: $0, input: input)
        } observe: { report, diagnostic in
            result.record(report, symbolicated: diagnostic, rules: inApp)
        }
        result.uncheckedImages = uncheckedImages
        let written = parts(of: processed, input: input, result: &result)
        // A file without a report can contain control characters, which a terminal would interpret.
        let passesThrough =
            input.container == nil && (format == .same || !isWholeInput || !Console.showsResults)
        if !file.reports.isEmpty || passesThrough {
            result.parts =
                rewrittenParts(of: processed, input: input, result: &result)
                ?? parts(written, of: file, bytes: source.file.bytes)
        }
        result.record(
            file, damage: received.damage, text: isWholeInput ? source.file.bytes : nil)
        if !format.showsRemarks { addIdentityAdvice(about: input, to: &result) }
        await addSymbolProblems(to: &result)
        return result
    }

    /// Adds the remarks about identities of images, for formats without remarks.
    private func addIdentityAdvice(about input: InputFile, to result: inout ProcessedInput) {
        for remark in [Remark.identityContradicted, .identityOverridden]
        where result.summary.remarks.contains(remark) {
            let suggestion =
                remark == .identityContradicted ? "choose one with --uuid 'NAME=UUID!'" : nil
            result.advice.append(
                Problem(
                    InputBytes(input.path).name, detail: remark.words, suggestion: suggestion))
        }
    }

    /// Records the paths of images in a report, and reads identities that the report lacks from the
    /// files at these paths.
    ///
    /// - Parameter paths: The paths of the report's images, before redaction.
    /// - Returns: The images identified in this way, without an identity if their files have none.
    private func identify(
        _ report: inout CrashReport, at paths: [String?]
    ) async -> [ListedImage] {
        guard report.format.namesFiles else { return [] }
        var found: [ListedImage: ImageID] = [:]
        for (image, path) in zip(report.images, paths) where image.id == nil {
            guard let path else { continue }
            found[image] = await access.installed?.identity(ofFileAt: path)
        }
        // A file at one of a program's paths is more likely than one that only has its name.
        let known = report.images.filter { $0.id != nil || found[$0] != nil }.map(\.name)
        for image in report.images where image.id == nil && !known.contains(image.name) {
            found[image] = image.name.flatMap(otherBuilds.soleImage)
        }
        report.identify(unchecked: found)
        for (image, path) in zip(report.images, paths) {
            guard let id = image.id else { continue }
            await access.servers?.add(buildID: id)
            if let path { await access.installed?.add(id, at: path) }
        }
        let used = report.imageIDs
        let standIns = await access.installed?.standIns ?? []
        let images = found.filter { used.contains($0.value) }.map { image, id in
            var image = image
            image.id = standIns.contains(id) ? nil : id
            return image
        }
        return images.sorted { ($0.path ?? $0.name ?? "") < ($1.path ?? $1.name ?? "") }
    }

    /// Returns the reports in the output format. Reports that the format cannot express are
    /// recorded.
    private func parts(
        of processed: ProcessedFile, input: InputFile, result: inout ProcessedInput
    ) -> [OutputPart] {
        var parts: [OutputPart] = []
        let file = processed.source.content
        let isOfLog = file.reports.allSatisfy(\.format.occursInLogs)
        for (number, output) in zip(1..., processed.outputs) {
            let heading = heading(of: input, number: number, in: file, isOfLog: isOfLog)
            switch output {
            case .success(let report): parts.append(OutputPart(report, heading: heading))
            case .failure(let refusal):
                result.refusals.append(
                    refusal.problem.of(heading ?? InputBytes(input.path).name))
            }
        }
        return parts
    }

    /// Returns the file in its own format, or `nil` if another format is requested.
    private func rewrittenParts(
        of processed: ProcessedFile, input: InputFile, result: inout ProcessedInput
    ) -> [OutputPart]? {
        switch processed.rewritten {
        case nil: return nil
        case .success(let bytes): return [.lines(bytes)]
        case .failure(let refusal):
            result.refusals.append(refusal.problem.of(InputBytes(input.path).name))
            return []
        }
    }

    private func context(of report: SymbolicatedDiagnostic, input: InputFile) -> ReportContext {
        ReportContext(
            excerpts: sources.excerpts(for: report),
            input: namesInput ? input.container ?? input.path : nil, isForCommandLine: true,
            otherBuilds: otherBuilds.otherBuilds(of: report.imagesLackingSymbols.app))
    }

    /// Symbolicates a report. If the user waits for missing symbols, it is symbolicated again when
    /// they have arrived.
    private func symbolicated(
        _ report: CrashReport, by symbolicator: Symbolicator
    ) async -> SymbolicatedDiagnostic {
        while true {
            let architectures = await access.architectures(of: report.imageIDs)
            let placements =
                report.wantsPlacements ? await access.placements(of: report.imageIDs) : [:]
            let result = await symbolicator.symbolicate(
                report.resolved(
                    architectureOf: { architectures[$0] }, placementOf: { placements[$0] }))
            let missing = result.imagesLackingSymbols.app.filter { $0.status == .missing }
            guard await access.waitForSymbols(of: missing.compactMap(\.image)) else {
                return result.withoutIdentities(await access.installed?.standIns ?? [])
            }
        }
    }

    /// - Parameter written: The outputs for the reports of `file`, in the same order.
    private func parts(
        _ written: [OutputPart], of file: CrashFile, bytes: [UInt8]
    ) -> [OutputPart] {
        guard format.keepsLogLines else { return written }
        return file.segments(of: bytes).map { piece in
            switch piece {
            case .report(let number): written[number]
            case .lines(let range): .lines(Array(bytes[range]))
            }
        }
    }

    /// Returns the heading that distinguishes a report from others. Reports in a log have none,
    /// because the lines around them show where they are.
    private func heading(
        of input: InputFile, number: Int, in file: CrashFile, isOfLog: Bool
    ) -> String? {
        let name = InputBytes(input.path).name
        let count = file.reports.count
        guard count > 1, !isOfLog else {
            return joinsOutputs && (isOneOfSeveral || input.container != nil) ? name : nil
        }
        let label = file.reports[number - 1].label.map { "\($0), " } ?? ""
        return "\(name), \(label)\(number) of \(count)"
    }

    /// Adds the reasons why damaged symbols could not be used.
    private func addSymbolProblems(to result: inout ProcessedInput) async {
        for image in result.summary.damagedImages {
            if let problem = await access.problem(of: image) {
                result.problems.append(Problem(problem))
            }
        }
    }
}

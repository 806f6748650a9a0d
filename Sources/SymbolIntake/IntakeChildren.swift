import CallStacks
import JSONText
import Metrics
import SymbolStores

/// The children that read uploads: at most a number of them at a time, whoever wants them.
struct IntakeChildren: Sendable {
    private let executable: String
    private let limits: ChildLimits
    private let turns: Turns
    private let space: FreeSpace
    /// There from the start, so that alerts see it grow.
    private let lost = Counter(label: "symbolist_intake_children_lost_total")

    /// How often a child is looked after.
    private static let watchPause = Duration.milliseconds(100)
    /// Room for as many lines as a child writes, with long names.
    private static let outputBytesLimit = 32 << 20

    /// - Parameter executable: The path of `symbolist`.
    init(executable: String, limits: ChildLimits, count: Int, space: FreeSpace) {
        self.executable = executable
        self.limits = limits
        self.space = space
        turns = Turns(count)
    }

    /// What an upload holds.
    func list(
        _ bundle: String, into folder: String, named name: String
    ) async throws(ChildFailure) -> [ListedLine] {
        let size = (try? FileStatus(of: bundle).size) ?? 0
        let output = try await run(
            ["list", bundle, folder, "--name=\(name)"], mappedBytes: max(limits.fileBytes, size))
        var lines: [ListedLine] = []
        for text in output.split(separator: UInt8(ascii: "\n")) {
            guard let value = JSONDocument(Array(text)).root, value.isWhole,
                let line = ListedLine(value)
            else { throw .garbled }
            lines.append(line)
        }
        for case .full(let reason) in lines { throw .failed(reason, isFull: true) }
        return try lines.map { line throws(ChildFailure) in
            try Self.checked(line, bundle: bundle, folder: folder)
        }
    }

    /// Builds the index of one slice.
    func index(_ job: IndexingJob) async throws(ChildFailure) -> IndexedSlice {
        let output = try await run(
            ["index", job.file, job.image.hex, job.architecture, job.output]
                + job.source.arguments, mappedBytes: job.byteCount)
        guard let value = JSONDocument(output).root, value.isWhole,
            let result = IndexingResult(value)
        else { throw .garbled }
        switch result {
        case .indexed(let slice):
            Counter(label: "symbolist_index_builds_total").increment()
            return slice
        case .refused(let reason): throw .refused(reason)
        case .failed(let reason, let isFull): throw .failed(reason, isFull: isFull)
        }
    }

    /// The SHA-256 of a file of an upload, in hexadecimal digits.
    func digest(of file: ListedFile) async throws(ChildFailure) -> String {
        let output = try await run(["digest", file.path], mappedBytes: file.byteCount)
        let digest = String(decoding: output.dropLast(), as: UTF8.self)
        guard BlobFolder.isName(digest) else { throw .garbled }
        return digest
    }

    private func run(
        _ words: [String], mappedBytes: Int64
    ) async throws(ChildFailure) -> [UInt8] {
        let child = ChildProcess(
            executable: executable,
            arguments: ["intake"] + words + limits.arguments(mappedBytes: mappedBytes),
            wallSecondsLimit: limits.wallSeconds, outputBytesLimit: Self.outputBytesLimit)
        guard let (report, isShort) = try? await turns.run({ await watched(child) })
        else { throw .cancelled }
        switch report.ending {
        case .exited(0): return report.output
        case .cancelled where isShort:
            throw .failed("symbols: disk is full: free some space", isFull: true)
        case .cancelled: throw .cancelled
        case .notStarted: throw .failed(reason(of: report), isFull: false)
        default:
            lost.increment()
            throw .refused(reason(of: report))
        }
    }

    /// Runs a child, and ends it when what it writes leaves half as much free space as there must be.
    private func watched(
        _ child: ChildProcess
    ) async -> (report: ChildProcess.Report, isShort: Bool) {
        // One that ends sooner than it is looked after is not started either.
        if leavesTooLittle { return (ChildProcess.Report(ending: .cancelled), true) }
        return await withTaskGroup(of: ChildProcess.Report?.self) { group in
            group.addTask { await child.run() }
            group.addTask {
                while !Task.isCancelled, !leavesTooLittle {
                    try? await Task.sleep(for: Self.watchPause)
                }
                return nil
            }
            var isShort = false
            while let ended = await group.next() {
                group.cancelAll()
                if let report = ended { return (report, isShort) }
                // A watch that was cancelled found nothing.
                isShort = !Task.isCancelled
            }
            preconditionFailure("a child that runs ends with a report")
        }
    }

    private var leavesTooLittle: Bool { space.isShort(for: -space.leastBytes / 2) }

    private func reason(of report: ChildProcess.Report) -> String {
        report.ending.reason(
            limits: limits, complaint: String(decoding: report.complaint, as: UTF8.self))
    }

    /// Whether a path leads to what was uploaded, and not by a link to somewhere else.
    private static func checked(
        _ line: ListedLine, bundle: String, folder: String
    ) throws(ChildFailure) -> ListedLine {
        guard case .file(let file) = line else { return line }
        guard let path = resolvedPath(file.path), let bundle = resolvedPath(bundle),
            let folder = resolvedPath(folder),
            path == bundle || path.hasPrefix(folder + "/") || path.hasPrefix(bundle + "/")
        else { throw .garbled }
        return line
    }
}

extension ChildFailure {
    static let garbled = Self.refused("was read by a process that answered what none should")
}

extension IndexingJob.Source {
    fileprivate var arguments: [String] {
        switch self {
        case .upload(let blob): ["--blob=\(blob)"]
        case .known(let digest): ["--digest=\(digest)"]
        case .blob(let inflated): ["--inflate=\(inflated)"]
        }
    }
}

import CallStacks
import JSONText
import Metrics
import Problems
import SymbolStores
import TaskCoordination

/// Runs the worker processes that read uploads, a limited number at a time.
struct UploadWorkerPool: Sendable {
    private let executable: String
    private let limits: UploadWorkerLimits
    private let slots: TaskSemaphore
    private let space: FreeSpace
    /// Exported from the start, so that alerts see its first increase.
    private let lost = Counter(label: "symbolist_intake_children_lost_total")

    /// The interval between checks of free space while a worker runs.
    private static let watchPause = Duration.milliseconds(100)
    /// The output limit, which is enough for the longest listing with long names.
    private static let outputBytesLimit = 32 << 20

    /// - Parameter executable: The path of `symbolist`.
    init(executable: String, limits: UploadWorkerLimits, count: Int, space: FreeSpace) {
        self.executable = executable
        self.limits = limits
        self.space = space
        slots = TaskSemaphore(count: count)
    }

    /// Lists the contents of an upload.
    func list(
        _ bundle: String, into folder: String, named name: String
    ) async throws(UploadWorkerFailure) -> [ListingLine] {
        let size = (try? FileStatus(of: bundle).size) ?? 0
        let output = try await run(
            ["list", bundle, folder, "--name=\(name)"], mappedBytes: max(limits.fileBytes, size))
        let lines = try Self.lines(of: output)
        for case .full(let detail) in lines { throw .failed(.full(detail)) }
        return try lines.map { line throws(UploadWorkerFailure) in
            try Self.checked(line, bundle: bundle, folder: folder)
        }
    }

    /// Returns the build that the first of some property lists names.
    func build(namedBy paths: [String]) async throws(UploadWorkerFailure) -> Build? {
        for case .build(let build) in try Self.lines(
            of: try await run(["build"] + paths, mappedBytes: 0))
        {
            return build
        }
        return nil
    }

    private static func lines(of output: [UInt8]) throws(UploadWorkerFailure) -> [ListingLine] {
        var lines: [ListingLine] = []
        for text in output.split(separator: UInt8(ascii: "\n")) {
            guard let value = JSONDocument(Array(text)).root, value.isWhole,
                let line = ListingLine(value)
            else { throw .garbled }
            lines.append(line)
        }
        return lines
    }

    /// Builds the index of one slice.
    ///
    /// - Parameter companionBytes: The size of all companions, after decompression.
    func index(
        _ job: IndexingJob, companionBytes: Int64 = 0
    ) async throws(UploadWorkerFailure) -> IndexedSlice {
        let output = try await run(
            ["index", job.file, job.image.hex, job.architecture, job.output]
                + job.source.arguments + (job.symbolMaps.map { ["--symbol-maps=\($0)"] } ?? [])
                + (job.companions?.arguments ?? []),
            mappedBytes: job.byteCount + (job.symbolMaps == nil ? 0 : SymbolMapStore.byteLimit)
                // A bundle is mapped, and then its files.
                + 2 * companionBytes)
        guard let value = JSONDocument(output).root, value.isWhole,
            let result = IndexingResult(value)
        else { throw .garbled }
        switch result {
        case .indexed(let slice):
            Counter(label: "symbolist_index_builds_total").increment()
            return slice
        case .refused(let reason): throw .refused(reason)
        case .failed(let error): throw .failed(error)
        }
    }

    /// Returns the SHA-256 of a file of an upload, in hexadecimal digits.
    func digest(of file: ListedFile) async throws(UploadWorkerFailure) -> String {
        let output = try await run(["digest", file.path], mappedBytes: file.byteCount)
        let digest = String(decoding: output.dropLast(), as: UTF8.self)
        guard BlobFolder.isName(digest) else { throw .garbled }
        return digest
    }

    private func run(
        _ words: [String], mappedBytes: Int64
    ) async throws(UploadWorkerFailure) -> [UInt8] {
        let worker = UploadWorkerProcess(
            executable: executable,
            arguments: ["intake"] + words + limits.arguments(mappedBytes: mappedBytes),
            wallSecondsLimit: limits.wallSeconds, outputBytesLimit: Self.outputBytesLimit)
        guard let (report, isShort) = try? await slots.run({ await watched(worker) })
        else { throw .cancelled }
        switch report.ending {
        case .exited(0): return report.output
        case .cancelled where isShort:
            throw .failed(.full("disk is full"))
        case .cancelled: throw .cancelled
        case .notStarted: throw .failed(StorageError(Problem(detail: reason(of: report))))
        default:
            lost.increment()
            throw .refused(reason(of: report))
        }
    }

    /// Runs a worker, and kills it when its output has used half of the space that must stay free.
    private func watched(
        _ worker: UploadWorkerProcess
    ) async -> (report: UploadWorkerProcess.Report, isShort: Bool) {
        // Check first, because a worker may end before the first check during its run.
        if leavesTooLittle { return (UploadWorkerProcess.Report(ending: .cancelled), true) }
        return await withTaskGroup(of: UploadWorkerProcess.Report?.self) { group in
            group.addTask { await worker.run() }
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
                // If the watch was cancelled, it has not detected a lack of space.
                isShort = !Task.isCancelled
            }
            preconditionFailure("a worker process ends with a report")
        }
    }

    private var leavesTooLittle: Bool { space.isShort(for: -space.leastBytes / 2) }

    private func reason(of report: UploadWorkerProcess.Report) -> String {
        report.ending.reason(
            limits: limits, errorOutput: String(decoding: report.errorOutput, as: UTF8.self))
    }

    /// Checks that a path refers to an uploaded file, and does not lead through a link to another
    /// location.
    private static func checked(
        _ line: ListingLine, bundle: String, folder: String
    ) throws(UploadWorkerFailure) -> ListingLine {
        guard let file = line.path else { return line }
        guard let path = resolvedPath(file), let bundle = resolvedPath(bundle),
            let folder = resolvedPath(folder),
            path == bundle || path.hasPrefix(folder + "/") || path.hasPrefix(bundle + "/")
        else { throw .garbled }
        return line
    }
}

extension StorageError {
    /// Returns the failure if there is no space for an upload or for the files created from it.
    static func full(_ detail: String) -> Self {
        Self(Problem("symbols", detail: detail, suggestion: "free some space"), isFull: true)
    }
}

extension UploadWorkerFailure {
    static let garbled = Self.refused("returned an invalid result from its worker process")
}

extension CompanionsJob {
    fileprivate var arguments: [String] {
        ["--companions=\(list)", "--companions-folder=\(folder)", "--companions-output=\(output)"]
            + (areRequired ? ["--companions-required"] : [])
    }
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

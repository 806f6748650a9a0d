import ByteReading
public import CallStacks
import SymbolStores
import Synchronization
import TaskCoordination

/// A file that a client uploads in chunks.
public struct ChunkedFile: Hashable, Sendable {
    public var checksum: SHA1Checksum
    /// The checksums of its chunks, in file order.
    public var chunks: [SHA1Checksum]
    public var name: String
    /// The identity of its image, or `nil` if the client sent none.
    public var debugID: DebugID?

    public init(
        checksum: SHA1Checksum, chunks: [SHA1Checksum], name: String, debugID: DebugID? = nil
    ) {
        self.checksum = checksum
        self.chunks = chunks
        self.name = name
        self.debugID = debugID
    }
}

/// The next step of a client that uploads a file in chunks.
public enum ChunkedFileState: Hashable, Sendable {
    /// Send these chunks, at least one.
    case missing([SHA1Checksum])
    /// Ask again: the chunks are complete and the file is being processed.
    case assembling
    case stored(AssembledFile)
    /// The file is not a debug file, which does not fail the upload: a symbol map, or a file of a
    /// kind that is not stored. The text says which.
    case accepted(String)
    /// The content cannot be stored, for this reason.
    case rejected(String)
}

/// Assembles files from chunks and passes them to ``UploadIntake``.
///
/// Asking for a file's state takes milliseconds. Once its chunks are complete, the file is
/// processed in the background, once for all clients that ask.
public final class ChunkedUploads: Sendable {
    private struct Job: Hashable {
        var file: ChunkedFile
        var sender: ChunkSender
        var options: UploadOptions
    }

    /// A slice of a rejected file.
    private struct Identity {
        var image: ImageID
        var architecture: String
        /// Whether its file is to be kept once its debug file is stored.
        var isExecutable: Bool
    }

    private enum Progress {
        case running
        /// The file is not a debug file: it is a symbol map, or of a kind that is not stored.
        case accepted(String)
        /// A verdict on the content, and the identities that were found in it.
        case rejected(String, [Identity])
        /// The chunks form a different file. Reported once, because the chunks are then removed.
        case mismatched
        /// Storing the file failed for a reason that is not in the file. Reported once.
        case failed(IntakeError)

        var isRunning: Bool { if case .running = self { true } else { false } }

        /// Whether the chunks are no longer needed.
        var isSpent: Bool {
            switch self {
            case .rejected(_, let identities): !identities.contains(where: \.isExecutable)
            case .accepted, .mismatched: true
            case .running, .failed: false
            }
        }
    }

    /// The jobs, and the numbers of those that run.
    private struct Jobs {
        private var progress: [Job: Progress] = [:]
        private var running: [ChunkSender: Int] = [:]

        var count: Int { progress.count }

        subscript(job: Job) -> Progress? {
            get { progress[job] }
            set {
                let change =
                    (newValue?.isRunning ?? false ? 1 : 0)
                    - (progress[job]?.isRunning ?? false ? 1 : 0)
                let sum = runningCount(of: job.sender) + change
                running[job.sender] = sum == 0 ? nil : sum
                progress[job] = newValue
            }
        }

        func runningCount(of sender: ChunkSender) -> Int { running[sender] ?? 0 }

        mutating func removeVerdicts() { progress = progress.filter(\.value.isRunning) }
    }

    /// The maximum number of remembered verdicts.
    static let verdictLimit = 10_000

    public var chunks: ChunkStore { intake.storage.chunks }
    private let intake: UploadIntake
    private let assembled: AssembledFiles
    /// Limits the number of joined files that wait for a worker, because they exist twice on disk.
    private let slots: TaskSemaphore
    private let jobs = Mutex(Jobs())

    public init(_ intake: UploadIntake) {
        self.intake = intake
        assembled = intake.storage.assembled
        slots = TaskSemaphore(count: intake.storage.settings.workerCount)
    }

    /// The maximum size of a file that can be processed, in bytes.
    public var fileBytesLimit: Int64 { intake.storage.settings.limits.fileBytes }

    /// Returns the state of a file, and starts processing it if its chunks are complete.
    ///
    /// - Throws: ``IntakeError`` if processing failed for a reason that is not in the file.
    public func state(
        of file: ChunkedFile, from sender: ChunkSender, options: UploadOptions
    ) async throws(IntakeError) -> ChunkedFileState {
        let job = Job(file: file, sender: sender, options: options)
        if let state = try await progress(of: job) { return state }
        if let stored = try await storedFile(job) { return .stored(stored) }
        guard !file.chunks.isEmpty else { return .rejected("the file is empty") }
        let missing = try await missingChunks(job)
        guard missing.isEmpty else {
            if try await isStoredMap(job) { return .accepted(Self.mapDetail) }
            if let stored = try await sufficientFile(job) { return .stored(stored) }
            return .missing(missing)
        }
        start(job)
        return .assembling
    }

    private func missingChunks(_ job: Job) async throws(IntakeError) -> [SHA1Checksum] {
        do {
            return try await chunks.missing(among: job.file.chunks, from: job.sender)
        } catch { throw IntakeError(error) }
    }

    private func progress(of job: Job) async throws(IntakeError) -> ChunkedFileState? {
        let progress = jobs.withLock { jobs in
            let progress = jobs[job]
            switch progress {
            case .mismatched, .failed: jobs[job] = nil
            default: break
            }
            return progress
        }
        switch progress {
        case nil: return nil
        case .running: return .assembling
        case .accepted(let detail): return .accepted(detail)
        case .rejected(let reason, let identities):
            return try await state(rejecting: job, reason: reason, identities: identities)
        case .mismatched:
            return .rejected("the chunks do not have the checksum of the file: upload it again")
        case .failed(let error): throw error
        }
    }

    /// Returns the state of a rejected file.
    ///
    /// A stripped image is useless alone, but harmless next to its debug file, which may still be
    /// in process. Then it is processed again, to be kept if it is the executable.
    private func state(
        rejecting job: Job, reason: String, identities: [Identity]
    ) async throws(IntakeError) -> ChunkedFileState {
        let isOtherRunning = jobs.withLock { $0.runningCount(of: job.sender) > 0 }
        for identity in identities {
            if let stored = try await debugFile(
                identity.image, architecture: identity.architecture, of: job.options.owner)
            {
                if identity.isExecutable, stored.lacksExecutable, try await restart(job) {
                    return .assembling
                }
                let file = AssembledFile(stored, named: job.file.name)
                do {
                    try assembled.record(file, as: job.file.checksum, of: job.options.owner)
                } catch { throw IntakeError(error) }
                return .stored(file)
            }
        }
        return isOtherRunning && !identities.isEmpty ? .assembling : .rejected(reason)
    }

    /// Processes a file again, if its chunks are still stored.
    private func restart(_ job: Job) async throws(IntakeError) -> Bool {
        guard try await missingChunks(job).isEmpty else { return false }
        jobs.withLock { $0[job] = nil }
        start(job)
        return true
    }

    /// Returns the result of an earlier upload of the same bytes, if the owner still has what it
    /// stored or a better file.
    private func storedFile(_ job: Job) async throws(IntakeError) -> AssembledFile? {
        let owner = job.options.owner
        guard let file = assembled.file(with: job.file.checksum, of: owner) else { return nil }
        guard
            let stored = try await debugFile(
                file.image, architecture: file.architecture, of: owner),
            stored.blob == file.blob || stored.isSufficient
        else {
            assembled.remove(job.file.checksum, of: owner)
            return nil
        }
        if let build = job.options.build { try await intake.record([file.image], in: build) }
        return file
    }

    /// Returns the stored file of the image, however it was uploaded, if no better one is needed.
    private func sufficientFile(_ job: Job) async throws(IntakeError) -> AssembledFile? {
        // The property list of a symbol map has the identity of its image.
        guard SymbolMapFolder.Part(named: job.file.name) == nil, let id = job.file.debugID,
            let app = job.options.owner.app
        else { return nil }
        let access = DebugFileAccess.only(app)
        do {
            guard let image = try await intake.symbols.image(with: id, for: access),
                let stored = access.choice(
                    among: try await intake.storage.catalogue.debugFiles(of: image)),
                stored.isSufficient, !mayBeExecutable(job.file, of: stored),
                try await intake.storage.blobs.contains(stored.blob)
            else { return nil }
            if let build = job.options.build { try await intake.record([image], in: build) }
            return AssembledFile(stored, named: job.file.name)
        } catch { throw IntakeError(error) }
    }

    /// Whether a file of an image may be the executable that the stored debug file lacks. A name that
    /// differs is the only difference to see.
    private func mayBeExecutable(_ file: ChunkedFile, of stored: StoredDebugFile) -> Bool {
        stored.lacksExecutable && UploadIntake.shownName(file.name) != stored.name
    }

    /// Returns a stored file of the owner, or `nil` if there is none or its blob is lost.
    private func debugFile(
        _ image: ImageID, architecture: String, of owner: SymbolOwner
    ) async throws(IntakeError) -> StoredDebugFile? {
        do {
            let files = try await intake.storage.catalogue.debugFiles(of: image)
            guard
                let file = files.first(where: {
                    $0.owner == owner && $0.architecture == architecture
                }), try await intake.storage.blobs.contains(file.blob)
            else { return nil }
            return file
        } catch { throw IntakeError(error) }
    }

    private func start(_ job: Job) {
        let isNew = jobs.withLock { jobs in
            guard jobs[job] == nil else { return false }
            if jobs.count >= Self.verdictLimit { jobs.removeVerdicts() }
            jobs[job] = .running
            return true
        }
        guard isNew else { return }
        chunks.pin(job.file.chunks, from: job.sender)
        Task {
            let progress = await process(job)
            await chunks.unpin(
                job.file.chunks, from: job.sender, isSpent: progress?.isSpent ?? true)
            if case .mismatched = progress {
                await chunks.remove(job.file.chunks, from: job.sender)
            }
            jobs.withLock { $0[job] = progress }
        }
    }

    /// Joins the chunks and processes the file.
    ///
    /// - Returns: `nil` if the file is stored.
    private func process(_ job: Job) async -> Progress? {
        do {
            return try await slots.run { try await assembleAlone(job) }
        } catch { return .failed(IntakeError(error)) }
    }

    private static let otherNodePause = Duration.seconds(1)

    /// Waits while another node processes the same file, which is a duplicate afterwards.
    private func assembleAlone(_ job: Job) async throws -> Progress? {
        guard let store = intake.storage.sharedFiles else { return try await assemble(job) }
        let name = "\(job.sender.folderName)/\(job.file.checksum.text)"
        while true {
            let ran = try await store.alone(name) { Ended(progress: try await assemble(job)) }
            if let ran { return ran.progress }
            try await Task.sleep(for: Self.otherNodePause)
        }
    }

    private struct Ended: Sendable {
        let progress: Progress?
    }

    private func assemble(_ job: Job) async throws -> Progress? {
        let path = intake.storage.folders.newIncomingPath()
        defer { intake.storage.folders.remove(path) }
        let checksum = try await chunks.join(job.file.chunks, from: job.sender, to: path)
        guard checksum == job.file.checksum else { return .mismatched }
        if try Self.isSourceBundle(path) {
            return .accepted("source bundles are not stored")
        }
        if let part = SymbolMapFolder.Part(path: path, named: job.file.name) {
            return try await keep(part, at: path, job: job)
        }
        let results = try await processWithMaps(path, job: job)
        return try await progress(of: job, after: results)
    }

    private static let mapDetail = "a symbol map, used for the names in its dSYM"

    private func isStoredMap(_ job: Job) async throws(IntakeError) -> Bool {
        guard let part = SymbolMapFolder.Part(named: job.file.name) else { return false }
        do {
            return try await intake.storage.symbolMaps.contains(
                part, checksum: job.file.checksum, of: job.options.owner)
        } catch { throw IntakeError(error) }
    }

    private func keep(
        _ part: SymbolMapFolder.Part, at path: String, job: Job
    ) async throws -> Progress {
        guard try FileStatus(of: path).size <= SymbolMapStore.byteLimit else {
            return .rejected(
                "is larger than \(ByteSizeFormat.text(SymbolMapStore.byteLimit))", [])
        }
        let (store, owner) = (intake.storage.symbolMaps, job.options.owner)
        try await store.keep(fileAt: path, as: part, of: owner)
        try await intake.refresh(store.maps(of: owner).images(using: part), of: owner)
        return .accepted(Self.mapDetail)
    }

    /// Processes a debug file. If symbol maps arrive meanwhile, its index may lack their names and
    /// is built again.
    private func processWithMaps(_ path: String, job: Job) async throws -> [IntakeResult] {
        let maps = intake.storage.symbolMaps.maps(of: job.options.owner)
        let before = Set(maps.parts)
        let results = try await intake.process(
            fileAt: path, named: job.file.name, options: job.options)
        let arrived = Set(maps.parts).subtracting(before)
            .flatMap { maps.images(using: $0) }
        var images = results.compactMap(\.image).filter(arrived.contains)
        for image in results.compactMap(\.image)
        where try await intake.storage.symbolMaps.update(for: image, of: job.options.owner) {
            images.append(image)
        }
        if !images.isEmpty { try await intake.refresh(images, of: job.options.owner) }
        return results
    }

    private func progress(of job: Job, after results: [IntakeResult]) async throws -> Progress? {
        let owner = job.options.owner
        guard let kept = results.first(where: { $0.status != .rejected }),
            let image = kept.image, let architecture = kept.architecture,
            let stored = try await debugFile(image, architecture: architecture, of: owner)
        else {
            let reasons = results.map { $0.reason ?? "has no symbols" }
            let identities = results.compactMap { result in
                result.architecture.flatMap { architecture in
                    result.image.map {
                        Identity(
                            image: $0, architecture: architecture,
                            isExecutable: result.isExecutable)
                    }
                }
            }
            return .rejected(
                reasons.isEmpty ? "not a debug file" : reasons.joined(separator: "\n"), identities)
        }
        try assembled.record(
            AssembledFile(
                image: image, architecture: architecture, name: job.file.name,
                kind: kept.kind ?? stored.kind, detail: kept.detail(of: stored), blob: stored.blob),
            as: job.file.checksum, of: owner)
        return nil
    }

    /// The first bytes of an archive of source files, as `sentry-cli` makes them.
    private static let sourceBundleMark = Array("SYSB".utf8)

    private static func isSourceBundle(_ path: String) throws -> Bool {
        let bytes = try MappedFile.bytes(of: path)
        return bytes.count >= sourceBundleMark.count
            && bytes.string(of: 0..<sourceBundleMark.count).utf8.elementsEqual(sourceBundleMark)
    }
}

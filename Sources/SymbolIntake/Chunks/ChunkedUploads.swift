import CallStacks
import SymbolStores
import Synchronization

/// Assembles files from chunks and passes them to ``UploadIntake``.
///
/// Asking for a file's state takes milliseconds. Once its chunks are complete, the file is
/// processed in the background, once for all clients that ask.
public final class ChunkedUploads: Sendable {
    public var chunks: ChunkStore { storage.chunks }
    private var storage: SymbolStorage { intake.storage }
    private let intake: UploadIntake
    private let assembler: FileAssembler
    private let jobs = Mutex(AssemblyJobs())

    public init(_ intake: UploadIntake) {
        self.intake = intake
        assembler = FileAssembler(intake)
    }

    /// The maximum size of a file that can be processed, in bytes.
    public var fileBytesLimit: Int64 { storage.settings.limits.fileBytes }

    /// Returns the state of a file, and starts processing it if its chunks are complete.
    ///
    /// - Throws: ``IntakeError`` if processing failed for a reason that is not in the file.
    public func state(
        of file: ChunkedFile, from sender: ChunkSender, options: UploadOptions
    ) async throws(IntakeError) -> ChunkedFileState {
        let job = AssemblyJob(file: file, sender: sender, options: options)
        if let state = try await progress(of: job) { return state }
        if let stored = try await storedFile(job) { return .stored(stored) }
        guard !file.chunks.isEmpty else { return .rejected("the file is empty") }
        let missing = try await missingChunks(job)
        guard missing.isEmpty else {
            if try await isStoredMap(job) { return .accepted(SymbolMapFolder.Part.detail) }
            if let stored = try await sufficientFile(job) { return .stored(stored) }
            return .missing(missing)
        }
        start(job)
        return .assembling
    }

    private func missingChunks(_ job: AssemblyJob) async throws(IntakeError) -> [SHA1Checksum] {
        do {
            return try await chunks.missing(among: job.file.chunks, from: job.sender)
        } catch { throw IntakeError(error) }
    }

    private func progress(of job: AssemblyJob) async throws(IntakeError) -> ChunkedFileState? {
        switch jobs.withLock({ $0.report(job) }) {
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
    /// A stripped image alone is useless, but its debug file may still be in progress. In that case
    /// the image is processed again afterwards, and kept if it is the executable of that debug
    /// file.
    private func state(
        rejecting job: AssemblyJob, reason: String, identities: [AssemblyProgress.Identity]
    ) async throws(IntakeError) -> ChunkedFileState {
        let isOtherRunning = jobs.withLock { $0.runningCount(of: job.sender) > 0 }
        for identity in identities {
            if let stored = try await storage.debugFile(
                of: identity.image, architecture: identity.architecture, owner: job.options.owner)
            {
                if identity.isExecutable, stored.lacksExecutable, try await restart(job) {
                    return .assembling
                }
                let file = AssembledFile(stored, named: job.file.name)
                do {
                    try storage.assembled.record(file, as: job.file.checksum, of: job.options.owner)
                } catch { throw IntakeError(error) }
                return .stored(file)
            }
        }
        return isOtherRunning && !identities.isEmpty ? .assembling : .rejected(reason)
    }

    /// Processes a file again, if its chunks are still stored.
    private func restart(_ job: AssemblyJob) async throws(IntakeError) -> Bool {
        guard try await missingChunks(job).isEmpty else { return false }
        jobs.withLock { $0.end(job, with: nil) }
        start(job)
        return true
    }

    /// Returns the result of an earlier upload of the same bytes, if the owner still has what it
    /// stored or a better file.
    private func storedFile(_ job: AssemblyJob) async throws(IntakeError) -> AssembledFile? {
        let owner = job.options.owner
        guard let file = storage.assembled.file(with: job.file.checksum, of: owner) else {
            return nil
        }
        guard
            let stored = try await storage.debugFile(
                of: file.image, architecture: file.architecture, owner: owner),
            stored.blob == file.blob || stored.isSufficient
        else {
            storage.assembled.remove(job.file.checksum, of: owner)
            return nil
        }
        if let build = job.options.build { try await intake.record([file.image], in: build) }
        return file
    }

    /// Returns the stored file of the image, however it was uploaded, if no better one is needed.
    private func sufficientFile(_ job: AssemblyJob) async throws(IntakeError) -> AssembledFile? {
        // The property list of a symbol map has the identity of its image.
        guard SymbolMapFolder.Part(named: job.file.name) == nil, let id = job.file.debugID,
            let app = job.options.owner.app
        else { return nil }
        let access = DebugFileAccess.only(app)
        do {
            guard let image = try await intake.symbols.image(with: id, for: access),
                let stored = access.choice(
                    among: try await storage.catalogue.debugFiles(of: image)),
                stored.isSufficient, !mayBeExecutable(job.file, of: stored),
                try await storage.blobs.contains(stored.blob)
            else { return nil }
            if let build = job.options.build { try await intake.record([image], in: build) }
            return AssembledFile(stored, named: job.file.name)
        } catch { throw IntakeError(error) }
    }

    private func isStoredMap(_ job: AssemblyJob) async throws(IntakeError) -> Bool {
        guard let part = SymbolMapFolder.Part(named: job.file.name) else { return false }
        do {
            return try await storage.symbolMaps.contains(
                part, checksum: job.file.checksum, of: job.options.owner)
        } catch { throw IntakeError(error) }
    }

    /// Whether a file of an image may be the executable that the stored debug file lacks. Before
    /// its chunks are read, only its name can show that it is a different file.
    private func mayBeExecutable(_ file: ChunkedFile, of stored: StoredDebugFile) -> Bool {
        stored.lacksExecutable && UploadIntake.shownName(file.name) != stored.name
    }

    private func start(_ job: AssemblyJob) {
        guard jobs.withLock({ $0.start(job) }) else { return }
        chunks.pin(job.file.chunks, from: job.sender)
        Task {
            let verdict = await assembler.process(job)
            await chunks.unpin(
                job.file.chunks, from: job.sender, isSpent: verdict?.isSpent ?? true)
            if case .mismatched = verdict {
                await chunks.remove(job.file.chunks, from: job.sender)
            }
            jobs.withLock { $0.end(job, with: verdict) }
        }
    }
}

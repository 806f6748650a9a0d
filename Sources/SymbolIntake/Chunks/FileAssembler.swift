import ByteReading
import CallStacks
import SymbolStores
import TaskCoordination

/// Joins the chunks of files and passes them to ``UploadIntake``.
struct FileAssembler: Sendable {
    private let intake: UploadIntake
    /// Limits the number of joined files that wait for a worker, because they exist twice on disk.
    private let slots: TaskSemaphore

    init(_ intake: UploadIntake) {
        self.intake = intake
        slots = TaskSemaphore(count: intake.storage.settings.workerCount)
    }

    private var chunks: ChunkStore { intake.storage.chunks }

    /// Joins the chunks and processes the file.
    ///
    /// - Returns: `nil` if the file is stored.
    func process(_ job: AssemblyJob) async -> AssemblyProgress? {
        do {
            return try await slots.run { try await assembleAlone(job) }
        } catch { return .failed(IntakeError(error)) }
    }

    private static let otherNodePause = Duration.seconds(1)

    /// Waits while another node processes the same file, after which this one is a duplicate.
    private func assembleAlone(_ job: AssemblyJob) async throws -> AssemblyProgress? {
        guard let store = intake.storage.sharedFiles else { return try await assemble(job) }
        let name = "\(job.sender.folderName)/\(job.file.checksum.text)"
        while true {
            let ran = try await store.alone(name) { Ended(progress: try await assemble(job)) }
            if let ran { return ran.progress }
            try await Task.sleep(for: Self.otherNodePause)
        }
    }

    private struct Ended: Sendable {
        let progress: AssemblyProgress?
    }

    private func assemble(_ job: AssemblyJob) async throws -> AssemblyProgress? {
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

    private func keep(
        _ part: SymbolMapFolder.Part, at path: String, job: AssemblyJob
    ) async throws -> AssemblyProgress {
        let owner = job.options.owner
        let map = SymbolMapFile(part, at: path)
        if let reason = try await intake.keep(map, of: owner) { return .rejected(reason, []) }
        try await intake.refreshImages(using: [part], of: owner)
        return .accepted(SymbolMapFolder.Part.detail)
    }

    /// Processes a debug file. If symbol maps arrive meanwhile, its index may lack their names and
    /// is built again.
    private func processWithMaps(_ path: String, job: AssemblyJob) async throws -> [IntakeResult] {
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

    /// Records the stored file, or returns why there is none.
    private func progress(
        of job: AssemblyJob, after results: [IntakeResult]
    ) async throws -> AssemblyProgress? {
        let owner = job.options.owner
        guard let kept = results.first(where: { $0.status != .rejected }),
            let image = kept.image, let architecture = kept.architecture,
            let stored = try await intake.storage.debugFile(
                of: image, architecture: architecture, owner: owner)
        else {
            let reasons = results.map { $0.reason ?? "has no symbols" }
            let identities = results.compactMap(AssemblyProgress.Identity.init)
            return .rejected(
                reasons.isEmpty ? "not a debug file" : reasons.joined(separator: "\n"), identities)
        }
        try intake.storage.assembled.record(
            AssembledFile(
                image: image, architecture: architecture, name: job.file.name,
                kind: kept.kind ?? stored.kind, detail: kept.detail(of: stored), blob: stored.blob),
            as: job.file.checksum, of: owner)
        return nil
    }

    /// The first bytes of a source bundle, an archive of source files that `sentry-cli` creates.
    private static let sourceBundleMark = Array("SYSB".utf8)

    private static func isSourceBundle(_ path: String) throws -> Bool {
        let bytes = try MappedFile.bytes(of: path)
        return bytes.count >= sourceBundleMark.count
            && bytes.string(of: 0..<sourceBundleMark.count).utf8.elementsEqual(sourceBundleMark)
    }
}

extension AssemblyProgress.Identity {
    fileprivate init?(_ result: IntakeResult) {
        guard let image = result.image, let architecture = result.architecture else { return nil }
        self.init(
            image: image, architecture: architecture, isExecutable: result.isExecutable)
    }
}

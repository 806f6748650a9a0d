public import CallStacks
import DebugFiles
import ErrorDescriptions
import Glibc
import Problems

/// Sends debug files that a server does not have.
public struct UploadRun: Sendable {
    public struct Options: Sendable {
        /// The commit that the build was made from, or `nil` to leave it out.
        public var commit: SourceCommit?
        /// The number of files sent at a time.
        public var jobs = 4
        /// Whether to send all files, without asking the server which are missing.
        public var isForced = false
        /// Whether to replace the app's own files even with files that are not better. Implies
        /// sending all files.
        public var replaces = false
        /// Whether to send nothing.
        public var isDryRun = false
        /// Whether to send serialised Swift modules, which only debuggers read.
        public var keepsSwiftModules = false
        /// The longest time to wait for the server to index the files, or `nil` not to wait.
        public var waitLimit: Duration?

        public init() {}

        fileprivate var sendsAll: Bool { isForced || replaces }
    }

    let inputs: UploadInputs
    let build: Build
    let connection: ServerConnection
    let required: [RequiredImage]
    let options: Options
    private let sleep: @Sendable (Duration) async throws -> Void

    public init(
        _ inputs: UploadInputs, of build: Build, to connection: ServerConnection,
        requiring required: [RequiredImage], options: Options,
        sleep: @escaping @Sendable (Duration) async throws -> Void = {
            try await Task.sleep(for: $0)
        }
    ) {
        self.inputs = inputs
        self.build = build
        self.connection = connection
        self.required = required
        self.options = options
        self.sleep = sleep
    }

    /// Uploads the files.
    ///
    /// - Parameter tell: Called for each step, concurrently from several tasks.
    public func run(tell: @escaping @Sendable (UploadEvent) -> Void) async -> UploadResult {
        var result = UploadResult(inputs)
        do {
            let missing = try await missingImages()
            let incomplete = try await imagesWithoutSplitUnits(besides: missing)
            let wanted = inputs.slices.indices.filter {
                options.sendsAll || missing.contains(inputs.slices[$0].image)
                    || incomplete.contains(inputs.slices[$0].image)
            }
            let unwanted = Set(inputs.slices.indices).subtracting(wanted)
            for index in unwanted.sorted() {
                let row = try await presentRow(of: inputs.slices[index])
                result.rows[index] = row
                tell(.finished(row))
            }
            if options.isDryRun {
                for index in wanted { result.set(index, status: .missing, tell) }
            } else {
                if !wanted.isEmpty { tell(.started(slices: wanted.count)) }
                for step in UploadInputs.Slice.Step.allCases {
                    let some = wanted.filter { inputs.slices[$0].step == step }
                    try await send(some, &result, tell)
                }
                result.unindexed = try await waitForIndexes(of: result.rows, tell)
            }
            result.unmet = required.filter { missing.contains($0.image) && !isGiven($0) }
        } catch let error as ServerRequestError {
            result.ending = error
        } catch {
            result.ending = ServerRequestError(
                .unreachable, problem: Problem("upload", detail: ErrorDescription.text(of: error)))
        }
        return result
    }

    private func missingImages() async throws -> Set<ImageID> {
        var asked = required.map(\.image)
        if !options.sendsAll { asked += inputs.slices.map(\.image) }
        var seen: Set<ImageID> = []
        return try await connection.missing(
            among: asked.filter { seen.insert($0).inserted }, of: build, commit: options.commit,
            isRecorded: !options.isDryRun)
    }

    /// Returns the images that the server has, but without the split units among the inputs. A token
    /// that may only upload cannot ask, and then there are none.
    private func imagesWithoutSplitUnits(
        besides missing: Set<ImageID>
    ) async throws -> Set<ImageID> {
        do {
            return try await askedImagesWithoutSplitUnits(besides: missing)
        } catch let error as ServerRequestError where error.kind == .refused { return [] }
    }

    private func askedImagesWithoutSplitUnits(
        besides missing: Set<ImageID>
    ) async throws -> Set<ImageID> {
        guard !options.sendsAll else { return [] }
        var images: Set<ImageID> = []
        for slice in inputs.slices
        where !slice.splitUnits.isEmpty && slice.quality == .full && !missing.contains(slice.image)
        {
            let stored = try await connection.slices(of: slice.image)
            let isWhole = stored.contains { ($0.quality ?? Self.whole) == Self.whole }
            if !isWhole { images.insert(slice.image) }
        }
        return images
    }

    /// The server's word for a debug file that lacks nothing.
    private static let whole = "full"

    /// Whether the inputs have functions or lines for an image.
    private func isGiven(_ required: RequiredImage) -> Bool {
        inputs.slices.contains { $0.image == required.image && $0.quality >= .lines }
    }

    private func send(
        _ indices: [Int], _ result: inout UploadResult,
        _ tell: @escaping @Sendable (UploadEvent) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (index: Int, row: UploadRow).self) { group in
            var waiting = indices[...]
            func addNext() {
                guard let index = waiting.popFirst() else { return }
                group.addTask { (index, try await send(inputs.slices[index], tell)) }
            }
            for _ in 0..<options.jobs { addNext() }
            while let (index, row) = try await group.next() {
                result.rows[index] = row
                tell(.finished(row))
                addNext()
            }
        }
    }

    private func send(
        _ slice: UploadInputs.Slice, _ tell: @escaping @Sendable (UploadEvent) -> Void
    ) async throws -> UploadRow {
        try await row(of: slice) {
            try await sendMap(of: slice)
            let blank = options.keepsSwiftModules ? nil : slice.swiftModules
            let isAlone = slice.splitUnits.isEmpty
            let file =
                isAlone
                ? try CompressedCopy(
                    packing: slice.bytes, named: slice.path, in: Self.folder, blank: blank ?? 0..<0)
                : try CompressedCopy(
                    packing: [(slice.name, slice.bytes)] + slice.splitUnits, in: Self.folder)
            let stored = try await connection.upload(
                file, named: isAlone ? slice.name : "\(slice.name).tar.zst", of: build,
                commit: options.commit,
                replacing: options.replaces
            ) {
                tell(.sent(bytes: $0))
            }
            var row = UploadRow(slice, stored, address: connection.address)
            row.sentByteCount = file.byteCount
            return row
        }
    }

    /// Sends the symbol map of a file that the server already has, because it may have been stored
    /// without the map.
    private func presentRow(of slice: UploadInputs.Slice) async throws -> UploadRow {
        try await row(of: slice) {
            if !options.isDryRun { try await sendMap(of: slice) }
            return UploadRow(slice, status: .present)
        }
    }

    /// Sends the symbol map of a file. The server needs it before it indexes the file.
    private func sendMap(of slice: UploadInputs.Slice) async throws {
        guard !slice.symbolMap.isEmpty else { return }
        let file = try CompressedCopy(
            packing: slice.symbolMap.map { ($0.name, $0.bytes) }, in: Self.folder)
        let results = try await connection.upload(
            file, named: "\(slice.name).bcsymbolmap.tar.zst", of: build, commit: options.commit
        ) { _ in }
        guard let refused = results.first(where: { $0.status == "rejected" }) else { return }
        throw UploadError(
            Problem("symbol map of \(slice.name)", detail: refused.reason ?? "rejected"))
    }

    /// The folder for compressed copies.
    private static var folder: String {
        unsafe getenv("TMPDIR").map { unsafe String(cString: $0) } ?? "/tmp"
    }

    /// - Throws: An error that ends the run. A failure of this file alone is returned as a row.
    private func row(
        of slice: UploadInputs.Slice, _ body: () async throws -> UploadRow
    ) async throws -> UploadRow {
        do { return try await body() } catch let error as UploadError {
            return UploadRow(slice, status: .failed, reason: error.description)
        } catch let error as ServerRequestError where !error.endsRun {
            return UploadRow(slice, status: .failed, reason: error.description)
        }
    }

    /// Polls the server until all files sent are indexed.
    ///
    /// Files with symbols only are stored but never indexed, so the run does not wait for them.
    ///
    /// - Returns: The images that are not indexed when the time is up.
    private func waitForIndexes(
        of rows: [UploadRow], _ tell: @Sendable (UploadEvent) -> Void
    ) async throws -> [ImageID] {
        guard let limit = options.waitLimit else { return [] }
        var waiting = rows.filter(\.isBeingIndexed).compactMap(\.image)
        var waited = Duration.zero
        var delay = Self.firstPollDelay
        while !waiting.isEmpty, waited < limit {
            tell(.waiting(slices: waiting.count))
            delay = min(delay * 2, Self.pollDelayLimit, limit - waited)
            try await sleep(delay)
            waited += delay
            var still: [ImageID] = []
            for image in waiting {
                let isIndexed = try await connection.slices(of: image).contains {
                    $0.image == image && $0.status == "indexed"
                }
                if !isIndexed { still.append(image) }
            }
            waiting = still
        }
        return waiting
    }

    private static let firstPollDelay = Duration.milliseconds(125)
    private static let pollDelayLimit = Duration.seconds(2)
}

extension UploadRow {
    /// The server's result of a slice that was sent.
    fileprivate init(
        _ slice: UploadInputs.Slice, _ stored: [StoredSlice], address: ServerAddress
    ) {
        // The result for a rejected file may have no identity.
        let result =
            stored.first { $0.image == slice.image }
            ?? stored.first { $0.image == nil && $0.status == "rejected" }
        switch result?.status {
        case "indexed", "duplicate": self.init(slice, status: .uploaded, reason: result?.reason)
        case "stored":
            self.init(slice, status: .uploaded, reason: result?.reason)
            isBeingIndexed = slice.quality >= .lines
        case "rejected": self.init(slice, status: .failed, reason: result?.reason ?? "rejected")
        default:
            self.init(slice, status: .failed, reason: "missing from the response of \(address)")
        }
    }
}

extension UploadInputs.Slice {
    /// When a file is sent: after those that the server needs to index or keep it.
    fileprivate enum Step: CaseIterable {
        case supplements, debugFiles, executables
    }

    fileprivate var step: Step {
        if isSupplement { return .supplements }
        return isExecutable ? .executables : .debugFiles
    }
}

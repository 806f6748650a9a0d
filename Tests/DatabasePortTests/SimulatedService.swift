import CallStacks
import DebugFiles
import Ingest
import JournalSupport
import SymbolIntake
import TestSupport
import Testing

/// Uploads, removals, runs of the worker, replays and re-sends on one database, interleaved in an
/// order that a seed determines, with what the process has in memory. A kill loses the memory.
struct SimulatedService {
    enum Flaw: Sendable {
        /// Commits do not ask which symbols have changed.
        case ignoresChanges
        /// Runs count changes that the lookups do not reflect yet.
        case countsUnreflectedChanges
    }

    private struct Upload {
        enum Phase { case begun, stored(Int64), reflected }

        let file: StoredDebugFile
        var phase = Phase.begun
    }

    /// Entries whose images are looked up one by one, before all results are stored.
    private struct Run {
        let symbolsSeen: Int64
        let lastNumber: Int64
        /// The diagnostics, and whether they are sent again.
        var diagnostics: [(address: RecordAddress, isRevision: Bool)]
        var lookups: [(address: RecordAddress, image: UInt8)]
        var used: [RecordAddress: [UInt8: String?]] = [:]
        var wanted: [RecordAddress: [WantedImage]] = [:]
    }

    private struct Replay {
        let symbolsSeen: Int64
        let revision: NextRevision
        let used: [UInt8: String?]
    }

    // On disk.
    private var database: any PortDatabase
    private let flaw: Flaw?
    private let resendsForSystem: Bool
    private var numbers: SplitMix64
    private var time: Int64 = 100

    // What happened, for comparison.
    /// The images of each diagnostic, and the app whose files it may use.
    private var contents: [Int64: (images: [UInt8], app: String?)] = [:]
    /// The blobs with which each diagnostic was last symbolicated, by image.
    private var used: [RecordAddress: [UInt8: String?]] = [:]
    private var changeCounts: [UInt8: Int] = [:]
    private var revisionCounts: [RecordAddress: Int] = [:]
    private var replayCounts: [RecordAddress: Int] = [:]
    private var blobCount = 0

    // In memory.
    private var cache: [UInt8: [StoredDebugFile]] = [:]
    private var lastReflected: Int64 = 0
    private var uploads: [Upload] = []
    /// A removed image whose files lookups may still use.
    private var removed: UInt8?
    private var run: Run?
    private var replay: Replay?

    private static let images: [UInt8] = [1, 2, 3, 4, 5, 6]
    private static let systemImages: Set<UInt8> = [5, 6]

    init(
        on database: any PortDatabase, seed: UInt64, resendsForSystem: Bool = false,
        flaw: Flaw? = nil
    ) {
        self.database = database
        numbers = SplitMix64(seed: seed)
        self.resendsForSystem = resendsForSystem
        self.flaw = flaw
    }

    func close() async throws { try await database.close() }

    private mutating func chance(_ count: Int) -> Int { Int.random(in: 0..<count, using: &numbers) }

    mutating func step() async throws {
        switch chance(16) {
        case 0, 1: try await append()
        case 2: beginUpload()
        case 3, 4, 5: try await advanceUpload(chance(max(uploads.count, 1)))
        case 6, 7, 8: try await advanceRun()
        case 9: try await beginReplay()
        case 10: try await finishReplay()
        case 11, 12: try await stepAwakening()
        case 13: try await enqueueDue()
        case 14: try await advanceRemoval()
        default: if chance(3) == 0 { try await kill() }
        }
    }

    private mutating func append() async throws {
        time += 1
        let images = Self.images.filter { _ in chance(2) == 0 }
        let number = try #require(
            try await database.journal.appendAll([draft(Int(time), at: time)]).first)
        contents[number] = (images, chance(3) == 0 ? "a" : nil)
    }

    private mutating func kill() async throws {
        (cache, uploads, removed, run, replay) = ([:], [], nil, nil, nil)
        database = try await database.reopened(afterRelease: chance(2) == 0)
        lastReflected = try await database.catalogue.lastSymbolChange()
    }

    /// Removes the files of an image, unless a file is being stored, or ends a removal.
    private mutating func advanceRemoval() async throws {
        if removed != nil { return try await endRemoval() }
        guard !isStoring else { return }
        let number = Self.images[chance(Self.images.count)]
        _ = try await database.catalogue.remove(image(number), of: nil)
        removed = number
    }

    private mutating func endRemoval() async throws {
        guard let number = removed else { return }
        removed = nil
        cache[number] = nil
        lastReflected = try await database.catalogue.lastSymbolChange()
    }
}

extension SimulatedService {
    private mutating func beginUpload() {
        guard uploads.count < 3 else { return }
        let number = Self.images[chance(Self.images.count)]
        let isSystem = Self.systemImages.contains(number)
        let isPoor = chance(3) == 0
        blobCount += 1
        uploads.append(
            Upload(
                file: debugFile(
                    of: image(number), quality(isSystem: isSystem, isPoor: isPoor),
                    kind: isSystem ? StoredDebugFile.systemKind : "dsym",
                    owner: SymbolOwner(app: ["a", "b", nil, nil][chance(4)]),
                    blob: "\(blobCount)",
                    warnings: isPoor ? ["symbols-file-missing: copy it"] : [])))
    }

    private func quality(isSystem: Bool, isPoor: Bool) -> DebugFileSummary.Quality {
        if isSystem { return isPoor ? .exportedSymbols : .symbols }
        return isPoor ? .symbols : .full
    }

    /// Whether a file is stored or removed, and lookups do not reflect that yet. Others wait
    /// meanwhile.
    private var isStoring: Bool {
        removed != nil || uploads.contains { if case .stored = $0.phase { true } else { false } }
    }

    private mutating func advanceUpload(_ index: Int) async throws {
        guard uploads.indices.contains(index) else { return }
        let file = uploads[index].file
        let number = file.image.bytes[0]
        switch uploads[index].phase {
        case .begun:
            guard !isStoring else { return }
            guard let change = try await database.catalogue.add(file).number else {
                uploads.remove(at: index)
                return
            }
            changeCounts[number, default: 0] += 1
            uploads[index].phase = .stored(change)
        case .stored(let change):
            cache[number] = nil
            lastReflected = change
            uploads[index].phase = .reflected
        case .reflected:
            // A write may fail before all diagnostics are marked.
            uploads.remove(at: index)
            for _ in 0..<chance(3) { try await step(file.image) }
        }
    }

    private var terms: ResendTerms {
        ResendTerms(oldest: .at(0), due: .at(time + 2), includesSystem: resendsForSystem)
    }

    private func step(_ image: ImageID) async throws {
        _ = try await database.journal.stepAwakening(of: image, terms)
    }

    private func stepAwakening() async throws {
        let image = try await database.journal.awakenedImages().first { image in
            !uploads.contains { $0.file.image == image }
        }
        if let image { try await step(image) }
    }

    /// - Returns: The number of entries.
    @discardableResult
    private mutating func enqueueDue() async throws -> Int {
        time += 3
        let entries = try await database.journal.enqueueDue(count: 4, now: .at(time))
        for entry in entries {
            guard case .address(let address) = RevisionReference(entry.draft.body) else { continue }
            revisionCounts[address, default: 0] += 1
        }
        return entries.count
    }
}

extension SimulatedService {
    private func symbolsSeen() async throws -> Int64 {
        switch flaw {
        case nil: lastReflected
        case .ignoresChanges: .max
        case .countsUnreflectedChanges: try await database.catalogue.lastSymbolChange()
        }
    }

    private mutating func advanceRun() async throws {
        guard var current = run else { return try await beginRun() }
        for _ in 0...chance(4) where !current.lookups.isEmpty {
            let (address, image) = current.lookups.removeFirst()
            let (blob, wanted) = try await look(up: image, for: address)
            current.used[address, default: [:]][image] = .some(blob)
            if let wanted { current.wanted[address, default: []].append(wanted) }
        }
        run = current
        if current.lookups.isEmpty, chance(2) == 0 { try await commit(current) }
    }

    private mutating func beginRun() async throws {
        let symbolsSeen = try await symbolsSeen()
        let cursor = try await database.journal.cursor(of: JournalReaders.worker)
        let entries = try await database.journal.entries(after: cursor, count: 4, bytes: .max)
        guard let last = entries.last else { return }
        var diagnostics: [(address: RecordAddress, isRevision: Bool)] = []
        for entry in entries {
            if entry.draft.kind != .revision {
                diagnostics.append((RecordAddress(entry: entry.number, position: 0), false))
            } else if case .address(let address) = RevisionReference(entry.draft.body),
                !diagnostics.contains(where: { $0.address == address })
            {
                diagnostics.append((address, true))
            }
        }
        let lookups = diagnostics.flatMap { item in
            (contents[item.address.entry]?.images ?? []).map { (item.address, $0) }
        }
        run = Run(
            symbolsSeen: symbolsSeen, lastNumber: last.number, diagnostics: diagnostics,
            lookups: lookups)
    }

    /// - Returns: The blob of the file that a diagnostic uses, and the image if it wants a better
    ///   one, or may lose it because it is the system's.
    private mutating func look(
        up number: UInt8, for address: RecordAddress
    ) async throws -> (blob: String?, wanted: WantedImage?) {
        if cache[number] == nil {
            cache[number] = try await database.catalogue.debugFiles(of: image(number))
        }
        let app = contents[address.entry]?.app
        let access = app.map(DebugFileAccess.only) ?? .everything
        let file = access.choice(among: cache[number] ?? [])
        let isSystem = Self.systemImages.contains(number)
        let isStored = file?.isSufficient == true
        if isStored, !isSystem { return (file?.blob, nil) }
        var wanted = wanted(number, isInApp: !isSystem)
        wanted.app = app
        wanted.isStored = isStored
        return (file?.blob, wanted)
    }

    private mutating func commit(_ run: Run) async throws {
        self.run = nil
        var work = WorkerCommit(lastNumber: run.lastNumber, symbolsSeen: run.symbolsSeen)
        for (address, isRevision) in run.diagnostics {
            var row = diagnostic(
                address.entry, wanting: run.wanted[address] ?? [], at: address.entry)
            if isRevision {
                guard let known = try await database.journal.diagnostic(at: address) else {
                    continue
                }
                row.revision = known.revision + 1
                work.revised.append(row)
            } else {
                work.diagnostics.append(row)
            }
        }
        try await database.journal.commit(work)
        for (address, images) in run.used { used[address] = images }
    }

    /// Symbolicates a stored diagnostic again for an exporter that lags.
    private mutating func beginReplay() async throws {
        guard run == nil, replay == nil else { return }
        let symbolsSeen = try await symbolsSeen()
        let rows = try await database.journal.diagnostics(DiagnosticQuery(limit: 1_000))
        guard let row = rows.randomElement(using: &numbers) else { return }
        var reduced = row
        reduced.wanted = []
        reduced.symbolicatedFrameCount = 0
        var blobs: [UInt8: String?] = [:]
        for image in contents[row.address.entry]?.images ?? [] {
            let (blob, wanted) = try await look(up: image, for: row.address)
            blobs[image] = .some(blob)
            if let wanted { reduced.wanted.append(wanted) }
        }
        guard reduced.wanted.count(where: { !$0.isStored }) > row.wanted.count else { return }
        replay = Replay(
            symbolsSeen: symbolsSeen,
            revision: NextRevision(after: row.sentRevision, content: nil, reduced: reduced),
            used: blobs)
    }

    private mutating func finishReplay() async throws {
        guard let ended = replay else { return }
        replay = nil
        let isStored = try await database.journal.advance(
            [ended.revision], symbolsSeen: ended.symbolsSeen)
        guard isStored else { return }
        used[ended.revision.last.address] = ended.used
        replayCounts[ended.revision.last.address, default: 0] += 1
    }
}

extension SimulatedService {
    /// Lets the service run until nothing is left to do.
    mutating func finish() async throws {
        var (rounds, idleRounds) = (0, 0)
        while idleRounds < 2 {
            rounds += 1
            try #require(rounds < 2_000, "it never ends")
            try await endRemoval()
            for index in uploads.indices.reversed() { try await advanceUpload(index) }
            try await finishReplay()
            try await advanceRun()
            try await stepAwakening()
            let enqueuedCount = try await enqueueDue()
            let isBusy = try await isBusy()
            idleRounds = isBusy || enqueuedCount > 0 ? 0 : idleRounds + 1
        }
    }

    private func isBusy() async throws -> Bool {
        if !uploads.isEmpty || run != nil || replay != nil { return true }
        if try await !database.journal.awakenedImages().isEmpty { return true }
        let cursor = try await database.journal.cursor(of: JournalReaders.worker)
        return try await !database.journal.entries(after: cursor, count: 1, bytes: 1).isEmpty
    }

    /// Returns the diagnostics that wait for an image although a file of it arrived after they were
    /// symbolicated, and those that do not wait for a system image although its files were removed.
    func forgotten() async throws -> [String] {
        var forgotten: [String] = []
        for row in try await database.journal.diagnostics(DiagnosticQuery(limit: 1_000)) {
            let content = try #require(contents[row.address.entry])
            let access = content.app.map(DebugFileAccess.only) ?? .everything
            for number in content.images {
                let file = access.choice(
                    among: try await database.catalogue.debugFiles(of: image(number)))
                let isWaiting = row.wanted.contains { $0.image == image(number) }
                if isWaiting != expectsWait(row.address, for: number, file) ?? isWaiting {
                    forgotten.append("\(row.address) \(number)")
                }
            }
        }
        return forgotten
    }

    /// Whether a diagnostic has to wait for an image now that everything is done, or `nil` if it may.
    ///
    /// - Parameter file: The file that the diagnostic may use.
    private func expectsWait(
        _ address: RecordAddress, for number: UInt8, _ file: StoredDebugFile?
    ) -> Bool? {
        if file?.isSufficient == true { return false }
        // Some names of a system image do not end the wait.
        if Self.systemImages.contains(number) { return true }
        let last = used[address]?[number] ?? nil
        return file != nil && last == nil ? false : nil
    }

    /// Checks that no change causes more than one revision of a diagnostic, another one if a run
    /// was under way, and one for each replay that found symbols removed. System images cause none
    /// unless that is set; then also a replay of another diagnostic may.
    func expectBoundedRevisions() {
        let allReplays = replayCounts.values.reduce(0, +)
        for (address, count) in revisionCounts {
            let images = (contents[address.entry]?.images ?? []).filter {
                resendsForSystem || !Self.systemImages.contains($0)
            }
            let changeCount = images.reduce(0) { $0 + changeCounts[$1, default: 0] }
            let replayCount = resendsForSystem ? allReplays : replayCounts[address, default: 0]
            #expect(count <= 2 * changeCount + replayCount, "\(address)")
        }
    }
}

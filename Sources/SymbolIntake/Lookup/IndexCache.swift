import ByteReading
import CallStacks
import Symbolication

/// The open indexes, bounded by their size. The cache itself neither reads the disk nor waits for
/// tasks.
struct IndexCache {
    /// An open index.
    private struct Opened {
        let mapped: IndexFiles.Mapped
        let cost: Int64
        var lastUse: UInt64
        /// The time at which it was rebuilt because the previous one was damaged, or `nil`.
        var rebuild: ContinuousClock.Instant?
    }

    /// An index that is being opened. Later requests wait for the same task.
    struct Opening {
        let number: UInt64
        let task: Task<SymbolSupply?, Never>
    }

    /// The result of opening an index.
    enum Outcome {
        case opened(IndexFiles.Mapped, isRebuilt: Bool)
        /// The debug file is no longer stored. Not cached.
        case removed
        /// No index can be built from the file. Retried after ``patience``.
        case unusable
        /// The index cannot be fetched or built at present. See ``DelayedIndexes``.
        case unavailable
        /// Opening was interrupted. Not cached.
        case unknown
    }

    private let bytesLimit: Int64
    private var opened: [DebugFileKey: Opened] = [:]
    private var unusable: [DebugFileKey: ContinuousClock.Instant] = [:]
    private var openings: [DebugFileKey: Opening] = [:]
    private var openingCount: UInt64 = 0
    /// A counter of uses, which orders them.
    private var clock: UInt64 = 0
    private var clockAtLastTaking: UInt64 = 0
    /// Files that were used since the last call of ``takeUsed()``, but whose indexes have been
    /// closed.
    private var usedBefore: Set<DebugFileKey> = []
    /// The cost of all open indexes.
    private(set) var bytes: Int64 = 0

    /// The minimum cost of an index. With 4 GiB for all indexes, it keeps the number of mappings
    /// below half of the kernel's limit for a process (`vm.max_map_count`).
    static let smallestCost: Int64 = 128 << 10
    /// The number of unusable files remembered.
    static let unusableLimit = 1 << 16
    /// The time after which a file is retried if no index could be built from it, or if its index
    /// was rebuilt.
    static let patience: Duration = .seconds(600)
    private static let pageBytes: Int64 = 4096

    init(bytesLimit: Int64) { self.bytesLimit = bytesLimit }

    var openCount: Int { opened.count }

    /// Returns a file's index or its failure, or `nil` if the index has to be opened.
    mutating func supply(for file: DebugFileKey) -> SymbolSupply? {
        if let index = opened.index(forKey: file) {
            clock += 1
            opened.values[index].lastUse = clock
            return .found(opened.values[index].mapped.index)
        }
        if let end = unusable[file], ContinuousClock.now < end { return .corrupt }
        return nil
    }

    /// Whether no index can be built from a file, so that it has to be uploaded again.
    func isUnusable(_ file: DebugFileKey) -> Bool { unusable[file] != nil }

    /// Whether no index can be built from a file with a blob.
    func isUnusable(blob: String) -> Bool { unusable.keys.contains { $0.blob == blob } }

    /// Returns the images with files from which no index can be built.
    func unusable(among images: Set<ImageID>) -> Set<ImageID> {
        images.intersection(unusable.keys.map(\.image))
    }

    /// Returns the task that opens an index, calling `start` if none is running.
    mutating func opening(
        of file: DebugFileKey, _ start: (_ number: UInt64) -> Task<SymbolSupply?, Never>
    ) -> Task<SymbolSupply?, Never> {
        if let opening = openings[file] { return opening.task }
        openingCount += 1
        let opening = Opening(number: openingCount, task: start(openingCount))
        openings[file] = opening
        return opening.task
    }

    /// Records the result of opening an index, unless it was invalidated meanwhile.
    mutating func finish(_ number: UInt64, of file: DebugFileKey, _ outcome: Outcome) {
        guard openings[file]?.number == number else { return }
        openings[file] = nil
        switch outcome {
        case .opened(let mapped, let isRebuilt): add(mapped, of: file, isRebuilt: isRebuilt)
        case .unusable:
            if unusable.count >= Self.unusableLimit { unusable.removeAll() }
            unusable[file] = .now + Self.patience
        case .removed, .unavailable, .unknown: break
        }
    }

    /// Removes a file's index, even while it is being opened.
    mutating func forget(_ file: DebugFileKey) {
        if let entry = opened.removeValue(forKey: file) { bytes -= entry.cost }
        unusable[file] = nil
        openings[file] = nil
    }

    /// Closes the index of a file, whose local copy was removed. Lookups that use it are not
    /// affected.
    mutating func close(_ file: DebugFileKey) {
        guard let entry = opened.removeValue(forKey: file) else { return }
        bytes -= entry.cost
        if entry.lastUse > clockAtLastTaking { usedBefore.insert(file) }
    }

    /// Removes the indexes of all files of some images.
    ///
    /// - Complexity: O(*n*) in the number of open indexes, which is acceptable once per upload.
    mutating func forget(_ images: Set<ImageID>) {
        for file in known where images.contains(file.image) { forget(file) }
    }

    /// Removes the indexes of all images.
    mutating func forgetAll() {
        for file in known { forget(file) }
    }

    private var known: [DebugFileKey] {
        Array(opened.keys) + Array(unusable.keys) + Array(openings.keys)
    }

    /// Removes a damaged index, unless it was rebuilt recently.
    ///
    /// - Returns: Whether it has to be rebuilt.
    mutating func forgetDamaged(_ file: DebugFileKey) -> Bool {
        guard let entry = opened[file] else { return openings[file] == nil }
        if let rebuild = entry.rebuild, .now < rebuild + Self.patience { return false }
        forget(file)
        return true
    }
}

extension IndexCache {
    private mutating func add(
        _ mapped: IndexFiles.Mapped, of file: DebugFileKey, isRebuilt: Bool
    ) {
        let pages = (Int64(mapped.bytes.count) + Self.pageBytes - 1) / Self.pageBytes
        let cost = max(pages * Self.pageBytes, Self.smallestCost)
        unusable[file] = nil
        clock += 1
        // An index larger than the whole cache is reopened for each request.
        guard cost <= bytesLimit else {
            usedBefore.insert(file)
            return
        }
        forget(file)
        opened[file] = Opened(
            mapped: mapped, cost: cost, lastUse: clock, rebuild: isRebuilt ? .now : nil)
        bytes += cost
        if bytes > bytesLimit { evict() }
    }

    /// Closes the least recently used indexes, and an eighth more to make room for new ones.
    private mutating func evict() {
        let target = bytesLimit - bytesLimit / 8
        for (file, entry) in inOrderOfUse() {
            if bytes <= target || opened.count == 1 { return }
            if entry.lastUse > clockAtLastTaking { usedBefore.insert(file) }
            opened[file] = nil
            bytes -= entry.cost
        }
    }

    private func inOrderOfUse() -> [(key: DebugFileKey, value: Opened)] {
        opened.sorted { $0.value.lastUse < $1.value.lastUse }
    }

    mutating func recordUse(of file: DebugFileKey) { usedBefore.insert(file) }

    /// Returns the files used since the previous call.
    mutating func takeUsed() -> Set<DebugFileKey> {
        var used = usedBefore
        for (file, entry) in opened where entry.lastUse > clockAtLastTaking { used.insert(file) }
        usedBefore = []
        clockAtLastTaking = clock
        return used
    }

    /// Returns the files of all open indexes, least recently used first.
    func filesInOrderOfUse() -> [DebugFileKey] { inOrderOfUse().map(\.key) }

    /// Returns the bytes of all open indexes, least recently used first.
    func bytesInOrderOfUse() -> [FileBytes] { inOrderOfUse().map(\.value.mapped.bytes) }
}

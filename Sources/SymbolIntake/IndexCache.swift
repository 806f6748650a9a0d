import ByteReading
import CallStacks
import Symbolication

/// The indexes that are open at the moment, bounded by bytes. Knows no disk and no other task.
struct IndexCache {
    /// An index that is open.
    private struct Opened {
        let mapped: IndexFiles.Mapped
        let cost: Int64
        var lastUse: UInt64
        /// When it was built again because the one before was damaged.
        var rebuild: ContinuousClock.Instant?
    }

    /// An index that is being opened. Later questions about it wait for the same task.
    struct Opening {
        let number: UInt64
        let task: Task<SymbolSupply?, Never>
    }

    /// What became of opening an index.
    enum Outcome {
        case opened(IndexFiles.Mapped, isRebuilt: Bool)
        /// The debug file is no longer stored. Not remembered.
        case gone
        /// No index could be made of it. Tried again after a while.
        case unusable
        /// It could not be found out. Not remembered.
        case unknown
    }

    private let bytesLimit: Int64
    private var opened: [DebugFileKey: Opened] = [:]
    private var unusable: [DebugFileKey: ContinuousClock.Instant] = [:]
    private var openings: [DebugFileKey: Opening] = [:]
    private var openingCount: UInt64 = 0
    /// Counted up at every use, so that uses have an order.
    private var clock: UInt64 = 0
    private var clockAtLastTaking: UInt64 = 0
    /// Files that were used and whose indexes are no longer open.
    private var usedBefore: Set<DebugFileKey> = []
    /// Of all open indexes.
    private(set) var bytes: Int64 = 0

    /// What an index costs at least: with it the number of mappings stays below half of what the
    /// kernel allows a process (`vm.max_map_count`), at 4 GiB for all.
    static let smallestCost: Int64 = 128 << 10
    /// Files of which no index can be made.
    static let unusableLimit = 1 << 16
    /// How long a file is left alone after its index could not be made, or was made again.
    static let patience: Duration = .seconds(600)
    private static let pageBytes: Int64 = 4096

    init(bytesLimit: Int64) { self.bytesLimit = bytesLimit }

    var openCount: Int { opened.count }

    /// What is known of a file's index, or `nil` if it has to be opened.
    mutating func supply(for file: DebugFileKey) -> SymbolSupply? {
        if let place = opened.index(forKey: file) {
            clock += 1
            opened.values[place].lastUse = clock
            return .found(opened.values[place].mapped.index)
        }
        if let end = unusable[file], ContinuousClock.now < end { return .corrupt }
        return nil
    }

    /// The task that opens an index, started by `start` if there is none yet.
    mutating func opening(
        of file: DebugFileKey, _ start: (_ number: UInt64) -> Task<SymbolSupply?, Never>
    ) -> Task<SymbolSupply?, Never> {
        if let opening = openings[file] { return opening.task }
        openingCount += 1
        let opening = Opening(number: openingCount, task: start(openingCount))
        openings[file] = opening
        return opening.task
    }

    /// Remembers what an opening came to, unless it was invalidated meanwhile.
    mutating func finish(_ number: UInt64, of file: DebugFileKey, _ outcome: Outcome) {
        guard openings[file]?.number == number else { return }
        openings[file] = nil
        switch outcome {
        case .opened(let mapped, let isRebuilt): add(mapped, of: file, isRebuilt: isRebuilt)
        case .unusable:
            if unusable.count >= Self.unusableLimit { unusable.removeAll() }
            unusable[file] = .now + Self.patience
        case .gone, .unknown: break
        }
    }

    /// Forgets what is known of a file's index, also what is being found out.
    mutating func forget(_ file: DebugFileKey) {
        if let entry = opened.removeValue(forKey: file) { bytes -= entry.cost }
        unusable[file] = nil
        openings[file] = nil
    }

    /// The same for all files of an image.
    ///
    /// - Complexity: O(*n*) in the number of open indexes, which uploads can afford.
    mutating func forget(_ image: ImageID) {
        let known = [Array(opened.keys), Array(unusable.keys), Array(openings.keys)]
        for file in known.joined() where file.image == image { forget(file) }
    }

    /// Forgets an index that was found damaged, unless it has just been made again.
    ///
    /// - Returns: Whether it has to be made again.
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
        clock += 1
        // One that is too large for all is opened each time it is asked for.
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

    /// Closes the indexes that were not used for longest; an eighth more than needed, so that this
    /// is done once for many that come.
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

    /// The files that were used since this was asked last.
    mutating func takeUsed() -> Set<DebugFileKey> {
        var used = usedBefore
        for (file, entry) in opened where entry.lastUse > clockAtLastTaking { used.insert(file) }
        usedBefore = []
        clockAtLastTaking = clock
        return used
    }

    /// The bytes of all open indexes, of that which was not used for longest first.
    func bytesInOrderOfUse() -> [FileBytes] { inOrderOfUse().map(\.value.mapped.bytes) }
}

import ByteReading
import CallStacks
import Symbolication

/// What is known of images at the moment, bounded by bytes. Knows no disk and no other task.
struct IndexCache {
    /// An index that is open.
    private struct Opened {
        let mapped: IndexFiles.Mapped
        let cost: Int64
        var lastUse: UInt64
        /// When it was built again because the one before was damaged.
        var rebuild: ContinuousClock.Instant?
    }

    /// An image that somebody is opening. Whoever comes meanwhile waits for the same task.
    struct Opening {
        let number: UInt64
        let task: Task<SymbolSupply, Never>
    }

    /// What became of opening an image.
    enum Outcome {
        case opened(IndexFiles.Mapped, isRebuilt: Bool)
        /// No debug file is stored. Remembered until one arrives.
        case missing
        /// There is one, and no index could be made of it. Tried again after a while.
        case unusable
        /// It could not be found out. Not remembered.
        case unknown
    }

    private let bytesLimit: Int64
    private var opened: [ImageID: Opened] = [:]
    private var missing: Set<ImageID> = []
    private var unusable: [ImageID: ContinuousClock.Instant] = [:]
    private var openings: [ImageID: Opening] = [:]
    private var openingCount: UInt64 = 0
    /// Counted up at every use, so that uses have an order.
    private var clock: UInt64 = 0
    private var clockAtLastTaking: UInt64 = 0
    /// Images that were used and are no longer open.
    private var usedBefore: Set<ImageID> = []
    /// Of all open indexes.
    private(set) var bytes: Int64 = 0

    /// What an index costs at least: with it the number of mappings stays below half of what the
    /// kernel allows a process (`vm.max_map_count`), at 4 GiB for all.
    static let smallestCost: Int64 = 128 << 10
    /// Images that nobody has a debug file of. Hostile diagnostics name as many as they like.
    static let missingLimit = 1 << 16
    /// How long an image is left alone after its index could not be made, or was made again.
    static let patience: Duration = .seconds(600)
    private static let pageBytes: Int64 = 4096

    init(bytesLimit: Int64) { self.bytesLimit = bytesLimit }

    var openCount: Int { opened.count }

    /// What is known of an image; `nil` where it has to be opened.
    mutating func supply(for image: ImageID) -> SymbolSupply? {
        if let place = opened.index(forKey: image) {
            clock += 1
            opened.values[place].lastUse = clock
            return .found(opened.values[place].mapped.index)
        }
        if missing.contains(image) { return .missing }
        if let end = unusable[image], ContinuousClock.now < end { return .corrupt }
        return nil
    }

    /// The task that opens an image, started by `start` if there is none yet.
    mutating func opening(
        of image: ImageID, _ start: (_ number: UInt64) -> Task<SymbolSupply, Never>
    ) -> Task<SymbolSupply, Never> {
        if let opening = openings[image] { return opening.task }
        openingCount += 1
        let opening = Opening(number: openingCount, task: start(openingCount))
        openings[image] = opening
        return opening.task
    }

    /// Remembers what an opening came to, unless it was invalidated meanwhile.
    mutating func finish(_ number: UInt64, of image: ImageID, _ outcome: Outcome) {
        guard openings[image]?.number == number else { return }
        openings[image] = nil
        switch outcome {
        case .opened(let mapped, let isRebuilt): add(mapped, of: image, isRebuilt: isRebuilt)
        case .missing:
            if missing.count >= Self.missingLimit { missing.removeAll(keepingCapacity: true) }
            missing.insert(image)
        case .unusable:
            if unusable.count >= Self.missingLimit { unusable.removeAll() }
            unusable[image] = .now + Self.patience
        case .unknown: break
        }
    }

    /// Forgets what is known of an image, also what is being found out.
    mutating func forget(_ image: ImageID) {
        if let entry = opened.removeValue(forKey: image) { bytes -= entry.cost }
        missing.remove(image)
        unusable[image] = nil
        openings[image] = nil
    }

    /// Forgets an index that was found damaged, unless it has just been made again.
    ///
    /// - Returns: Whether it has to be made again.
    mutating func forgetDamaged(_ image: ImageID) -> Bool {
        guard let entry = opened[image] else { return openings[image] == nil }
        if let rebuild = entry.rebuild, .now < rebuild + Self.patience { return false }
        forget(image)
        return true
    }
}

extension IndexCache {
    private mutating func add(
        _ mapped: IndexFiles.Mapped, of image: ImageID, isRebuilt: Bool
    ) {
        let pages = (Int64(mapped.bytes.count) + Self.pageBytes - 1) / Self.pageBytes
        let cost = max(pages * Self.pageBytes, Self.smallestCost)
        clock += 1
        // One that is too large for all is opened each time it is asked for.
        guard cost <= bytesLimit else {
            usedBefore.insert(image)
            return
        }
        forget(image)
        opened[image] = Opened(
            mapped: mapped, cost: cost, lastUse: clock, rebuild: isRebuilt ? .now : nil)
        bytes += cost
        if bytes > bytesLimit { evict() }
    }

    /// Closes the indexes that were not used for longest; an eighth more than needed, so that this
    /// is done once for many that come.
    private mutating func evict() {
        let target = bytesLimit - bytesLimit / 8
        for (image, entry) in inOrderOfUse() {
            if bytes <= target || opened.count == 1 { return }
            if entry.lastUse > clockAtLastTaking { usedBefore.insert(image) }
            opened[image] = nil
            bytes -= entry.cost
        }
    }

    private func inOrderOfUse() -> [(key: ImageID, value: Opened)] {
        opened.sorted { $0.value.lastUse < $1.value.lastUse }
    }

    /// The images that were used since this was asked last.
    mutating func takeUsed() -> Set<ImageID> {
        var used = usedBefore
        for (image, entry) in opened where entry.lastUse > clockAtLastTaking { used.insert(image) }
        usedBefore = []
        clockAtLastTaking = clock
        return used
    }

    /// The bytes of all open indexes, of that which was not used for longest first.
    func bytesInOrderOfUse() -> [FileBytes] { inOrderOfUse().map(\.value.mapped.bytes) }
}

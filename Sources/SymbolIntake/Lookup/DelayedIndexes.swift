import CallStacks

/// The files whose indexes could not be fetched or built in time, so that lookups continued without
/// them.
///
/// Once such an index is available, the diagnostics that missed it have to be sent again.
struct DelayedIndexes {
    private struct Delay {
        let file: StoredDebugFile
        /// Orders the attempts.
        var number: UInt64
        /// Whether lookups continue without the index immediately. If not, the next lookup waits
        /// again, because the stored files have changed.
        var isKnown = true
    }

    private var delays: [DebugFileKey: Delay] = [:]
    private var lastNumber: UInt64 = 0

    /// The maximum number of files. For further files, each lookup waits for the index.
    private static let limit = 1 << 16

    /// The files whose indexes diagnostics have missed, the most recently tried ones last.
    var files: [StoredDebugFile] {
        delays.values.sorted { $0.number < $1.number }.map(\.file)
    }

    /// Whether lookups continue without the index of a file.
    func contains(_ file: DebugFileKey) -> Bool { delays[file]?.isKnown ?? false }

    /// Records that a diagnostic may have missed the index of a file, or that another attempt to
    /// open it has failed.
    mutating func add(_ file: StoredDebugFile) {
        guard delays.count < Self.limit || delays[file.key] != nil else { return }
        lastNumber += 1
        delays[file.key] = Delay(file: file, number: lastNumber)
    }

    /// Makes the next lookup of some images wait for their indexes again.
    mutating func retry(_ images: Set<ImageID>) {
        for file in delays.keys where images.contains(file.image) { delays[file]?.isKnown = false }
    }

    /// Makes the next lookup of each image wait for its index again.
    mutating func retryAll() {
        for file in delays.keys { delays[file]?.isKnown = false }
    }

    /// Removes a file, because its index is available or never will be.
    mutating func remove(_ file: DebugFileKey) { delays[file] = nil }
}

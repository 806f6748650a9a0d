/// Puts the batches of entries together into parcels, one open for each signal.
struct ExportAssembly {
    private struct Open {
        var parcel: ExportParcel
        /// The round of waiting at whose end it is closed.
        var round: Int
    }

    private let bytesLimit: Int
    private let recordLimit: Int
    private var open: [Signal: Open] = [:]

    /// - Parameter bytesLimit: Of a parcel. A batch that is larger goes out alone.
    init(bytesLimit: Int, recordLimit: Int) {
        self.bytesLimit = bytesLimit
        self.recordLimit = recordLimit
    }

    var isEmpty: Bool { open.isEmpty }

    /// Takes a batch in.
    ///
    /// - Parameter round: Of a parcel that begins with it.
    /// - Returns: What is full because of it: at most the parcel before it and its own.
    mutating func add(_ batch: ExportBatch, entry: Int64, round: Int) -> [ExportParcel] {
        guard var current = open.removeValue(forKey: batch.signal) else {
            return begin(batch, entry: entry, round: round)
        }
        guard hasRoom(current.parcel, for: batch) else {
            return [current.parcel] + begin(batch, entry: entry, round: round)
        }
        current.parcel.append(batch, entry: entry)
        return keep(current)
    }

    private mutating func begin(_ batch: ExportBatch, entry: Int64, round: Int) -> [ExportParcel] {
        keep(Open(parcel: ExportParcel(batch, entry: entry), round: round))
    }

    private mutating func keep(_ current: Open) -> [ExportParcel] {
        let parcel = current.parcel
        guard parcel.body.count < bytesLimit, parcel.recordCount < recordLimit
        else { return [parcel] }
        open[parcel.signal] = current
        return []
    }

    private func hasRoom(_ parcel: ExportParcel, for batch: ExportBatch) -> Bool {
        parcel.body.count + batch.body.count <= bytesLimit
            && parcel.recordCount + batch.recordCount <= recordLimit
    }

    /// Closes parcels that have waited until the end of `round`; all of them without a round.
    mutating func close(round: Int? = nil) -> [ExportParcel] {
        let due = open.values.filter { round == nil || $0.round <= round ?? 0 }.map(\.parcel)
        for parcel in due { open[parcel.signal] = nil }
        return due
    }
}

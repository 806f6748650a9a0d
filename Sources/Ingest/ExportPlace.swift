/// How far an exporter is done without a gap, while later entries may be done before earlier ones.
struct ExportPlace: ~Copyable {
    private struct Pending {
        var entry: Int64
        var openPartCount: Int
    }

    /// The last entry up to which everything is done.
    private(set) var number: Int64
    /// Ascending. What stands before ``head`` is done and waits to be cut off.
    private var pending: [Pending] = []
    private var head = 0

    init(_ number: Int64) { self.number = number }

    /// How many entries stand between the place and the last one that was begun.
    var pendingCount: Int { pending.count - head }

    /// Notes that an entry is begun, and in how many parts it goes out: none where it has nothing
    /// to send. Entries begin in ascending order.
    mutating func begin(_ entry: Int64, partCount: Int) {
        precondition(entry > (pending.last?.entry ?? number), "entry: begins twice or out of order")
        pending.append(Pending(entry: entry, openPartCount: partCount))
        advance()
    }

    /// Notes that an entry that is not done goes out in one part more.
    mutating func addPart(of entry: Int64) {
        guard let index = index(of: entry) else {
            preconditionFailure("entry: was not begun or is done")
        }
        pending[index].openPartCount += 1
    }

    /// Notes that one part of an entry is done.
    mutating func finishPart(of entry: Int64) {
        guard let index = index(of: entry) else {
            preconditionFailure("entry: was not begun or is done")
        }
        pending[index].openPartCount -= 1
        advance()
    }

    private mutating func advance() {
        while head < pending.count, pending[head].openPartCount == 0 {
            number = pending[head].entry
            head += 1
        }
        // Each entry is moved at most once on average, and a long run of gaps does not stay.
        if head > pending.count / 2 {
            pending.removeFirst(head)
            head = 0
        }
    }

    private func index(of entry: Int64) -> Int? {
        var low = head
        var high = pending.count
        while low < high {
            let middle = (low + high) / 2
            if pending[middle].entry < entry { low = middle + 1 } else { high = middle }
        }
        return low < pending.count && pending[low].entry == entry ? low : nil
    }
}

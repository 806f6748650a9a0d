import Algorithms

/// Maps the numbers of a journal's entries to their numbers in another journal, which has no gaps.
///
/// Entries keep their order. The original journal has gaps where unneeded entries were removed.
package struct EntryNumbering: Sendable {
    /// The numbers of the stored entries, in ascending order.
    private let numbers: [Int64]
    /// The number before the first one in the other journal.
    private let start: Int64

    package init(of numbers: [Int64], after start: Int64) {
        self.numbers = numbers
        self.start = start
    }

    package var count: Int { numbers.count }

    /// Returns the number of the last of the first `count` entries, or 0 if `count` is 0: the position
    /// after which to continue once those are moved.
    package func last(ofFirst count: Int) -> Int64 {
        count > 0 ? numbers[min(count, numbers.count) - 1] : 0
    }

    /// Returns the new number of an entry, or `nil` if the entry is not stored.
    package subscript(number: Int64) -> Int64? {
        let index = countThrough(number) - 1
        guard index >= 0, numbers[index] == number else { return nil }
        return start + Int64(index) + 1
    }

    /// Returns the new address of a diagnostic, or `nil` if its entry is not stored.
    package subscript(address: RecordAddress) -> RecordAddress? {
        self[address.entry].map { RecordAddress(entry: $0, position: address.position) }
    }

    /// Returns the new position of a cursor, which also moves if the entry at it is not stored.
    package func cursor(_ number: Int64) -> Int64 { start + Int64(countThrough(number)) }

    /// Returns the original of an address in the other journal, or `nil` if there is none.
    package func original(of address: RecordAddress) -> RecordAddress? {
        let index = address.entry - start - 1
        guard index >= 0, index < numbers.count else { return nil }
        return RecordAddress(entry: numbers[Int(index)], position: address.position)
    }

    /// Returns the draft of the new entry. An entry that sends a diagnostic again refers to it by
    /// its new address, or to no diagnostic if it was removed.
    package func draft(of entry: JournalEntry) -> JournalDraft {
        var draft = entry.draft
        guard draft.kind == .revision,
            case .address(let address) = RevisionReference(draft.body)
        else { return draft }
        let none = RecordAddress(entry: 0, position: 0)
        draft.body = RevisionReference.address(self[address] ?? none).body
        return draft
    }

    /// The number of entries up to a number.
    private func countThrough(_ number: Int64) -> Int {
        numbers.partitioningIndex { $0 > number }
    }
}

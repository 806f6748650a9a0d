import Algorithms

/// A cursor that moves between entries in both directions and decodes a block at a time.
struct EntryCursor {
    /// An entry with its range of code.
    struct Stretch {
        var start: UInt64
        var end: UInt64
        /// The entry, or `nil` for a gap.
        var entry: IndexEntry?
    }

    private let sections: IndexSections
    private var block: Int
    private var stretches: [Stretch] = []
    private var position = 0

    /// Starts at the stretch that contains `offset`, or returns `nil` outside the buckets.
    init?(_ sections: IndexSections, at offset: UInt64) throws(SymbolIndexError) {
        guard let block = try sections.block(at: offset) else { return nil }
        self.sections = sections
        self.block = block
        try decode()
        position = max(stretches.partitioningIndex { $0.start > offset } - 1, 0)
    }

    /// Starts at the first stretch. Returns `nil` if there is none.
    init?(atStartOf sections: IndexSections) throws(SymbolIndexError) {
        guard sections.shape.counts.blocks > 0 else { return nil }
        self.sections = sections
        block = 0
        try decode()
    }

    var stretch: Stretch { stretches[position] }

    /// Moves to the next stretch. Returns `false` if there is none.
    mutating func advance() throws(SymbolIndexError) -> Bool {
        if position + 1 < stretches.count {
            position += 1
            return true
        }
        guard block + 1 < sections.shape.counts.blocks else { return false }
        block += 1
        try decode()
        position = 0
        return true
    }

    /// Moves to the previous stretch. Returns `false` if there is none.
    mutating func retreat() throws(SymbolIndexError) -> Bool {
        if position > 0 {
            position -= 1
            return true
        }
        guard block > 0 else { return false }
        block -= 1
        try decode()
        position = stretches.count - 1
        return true
    }

    /// Decodes a block. Stretches are never empty: an index whose starts do not ascend is damaged.
    private mutating func decode() throws(SymbolIndexError) {
        var reader = try sections.reader(ofBlock: block)
        stretches.removeAll(keepingCapacity: true)
        stretches.reserveCapacity(IndexLayout.entriesPerBlock)
        var start = reader.start
        while !reader.isAtEnd {
            if reader.position > 0 {
                start = try reader.nextStart()
                try endLast(at: start)
            }
            try reader.readNext(at: start)
            let entry = try sections.entry(reader, ofBlock: block)
            stretches.append(Stretch(start: start, end: .max, entry: entry))
        }
        // A block has at least one entry, as the header's counts were checked on opening. The very
        // last entry has no end, and may be at the maximum offset.
        guard block + 1 < sections.shape.counts.blocks else { return }
        try endLast(at: try sections.start(ofBlock: block + 1))
    }

    private mutating func endLast(at end: UInt64) throws(SymbolIndexError) {
        let last = stretches.count - 1
        guard stretches[last].start < end else { throw sections.blockStarts.corrupt(at: block * 4) }
        stretches[last].end = end
    }
}

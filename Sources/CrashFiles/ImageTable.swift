import CallStacks

/// The images of a report by where they were mapped.
struct ImageTable: Sendable {
    /// How far an image reaches that has neither a size nor another one above it.
    static let implausibleOffset: UInt64 = 1 << 32

    private struct Entry {
        var start: UInt64
        /// The first address that is not the image's.
        var end: UInt64
        var position: Int
    }

    /// Addresses that belong to one image.
    private struct Piece {
        var range: Range<UInt64>
        /// Where the image starts.
        var base: UInt64
        var position: Int
    }

    /// Ascending, and none reaches into the next one.
    private let pieces: [Piece]

    /// - Parameter images: As they are listed; one without a base holds no address.
    init(_ images: [ReportedImage]) {
        pieces = Self.pieces(of: Self.entries(images))
    }

    /// The position in the list of the image that holds an address, and the address in it. Of several
    /// the one with the highest start holds it.
    ///
    /// Where none does, the address is tried without the bits that sign it: 36 bits are the address
    /// on iOS, 47 on macOS.
    func image(at address: RuntimeAddress) -> (position: Int, offset: ImageOffset)? {
        for bits in [64, 36, 47] as [UInt64] {
            let plain = bits < 64 ? address.rawValue & (1 << bits - 1) : address.rawValue
            if let found = image(atPlain: plain) { return found }
        }
        return nil
    }

    private func image(atPlain address: UInt64) -> (position: Int, offset: ImageOffset)? {
        let index = pieces.orderedPrefixCount { $0.range.lowerBound <= address } - 1
        guard index >= 0, pieces[index].range.contains(address) else { return nil }
        return (pieces[index].position, ImageOffset(address - pieces[index].base))
    }

    /// Cuts images where one with a higher start begins, and goes on with them where that ends.
    private static func pieces(of entries: [Entry]) -> [Piece] {
        var pieces: [Piece] = []
        var open: [Entry] = []
        var done: UInt64 = 0
        func add(_ entry: Entry, until end: UInt64) {
            let start = max(done, entry.start)
            guard start < end else { return }
            pieces.append(Piece(range: start..<end, base: entry.start, position: entry.position))
            done = end
        }
        for entry in entries {
            while let last = open.last {
                add(last, until: min(last.end, entry.start))
                if last.end > entry.start { break }
                open.removeLast()
            }
            open.append(entry)
        }
        for entry in open.reversed() { add(entry, until: entry.end) }
        return pieces
    }

    private static func entries(_ images: [ReportedImage]) -> [Entry] {
        var entries: [Entry] = []
        for (position, image) in images.enumerated() {
            guard let base = image.base?.rawValue, base > 0 || image.size != nil else { continue }
            // Where the size is missing, the end comes when the next start is known.
            let end = image.size.map { base.addingReportingOverflow($0) }
            let last = end.map { $0.overflow ? UInt64.max : $0.partialValue } ?? 0
            entries.append(Entry(start: base, end: max(last, base), position: position))
        }
        entries.sort { ($0.start, $0.position) < ($1.start, $1.position) }
        var next: UInt64?
        var above: UInt64?
        for index in entries.indices.reversed() {
            let start = entries[index].start
            if above != start {
                next = above
                above = start
            }
            if images[entries[index].position].size == nil {
                let (end, overflows) = start.addingReportingOverflow(implausibleOffset)
                entries[index].end = min(next ?? .max, overflows ? .max : end)
            }
        }
        return entries
    }
}

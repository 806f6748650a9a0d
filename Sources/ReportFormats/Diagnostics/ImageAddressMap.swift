import Algorithms
import CallStacks

/// The images of a report, searchable by address.
struct ImageAddressMap: Sendable {
    /// The assumed extent of the last image if it has no size.
    static let implausibleOffset: UInt64 = 1 << 32

    private struct Entry {
        var start: UInt64
        /// The first address past the image.
        var end: UInt64
        var position: Int
    }

    /// An address range of one image.
    private struct AddressRange {
        var range: Range<UInt64>
        /// The image's load address.
        var base: UInt64
        var position: Int
    }

    /// The address ranges, in ascending order and without overlaps.
    private let ranges: [AddressRange]

    /// - Parameter images: The listed images. One without a base contains no address.
    init(_ images: [ListedImage]) {
        ranges = Self.ranges(of: Self.entries(images))
    }

    /// Returns the index of the image that contains an address, and the offset in it. If images
    /// overlap, the one with the highest start is returned.
    ///
    /// If none does, pointer authentication bits are removed: addresses have 36 bits on iOS, 47 on
    /// macOS.
    func image(at address: RuntimeAddress) -> (position: Int, offset: ImageOffset)? {
        for bits in [64, 36, 47] as [UInt64] {
            let plain = bits < 64 ? address.rawValue & (1 << bits - 1) : address.rawValue
            if let found = image(atPlain: plain) { return found }
        }
        return nil
    }

    private func image(atPlain address: UInt64) -> (position: Int, offset: ImageOffset)? {
        let index = ranges.partitioningIndex { $0.range.lowerBound > address } - 1
        guard index >= 0, ranges[index].range.contains(address) else { return nil }
        return (ranges[index].position, ImageOffset(address - ranges[index].base))
    }

    /// Splits images around others that start inside them.
    private static func ranges(of entries: [Entry]) -> [AddressRange] {
        var ranges: [AddressRange] = []
        var open: [Entry] = []
        var done: UInt64 = 0
        func add(_ entry: Entry, until end: UInt64) {
            let start = max(done, entry.start)
            guard start < end else { return }
            ranges.append(
                AddressRange(range: start..<end, base: entry.start, position: entry.position))
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
        return ranges
    }

    private static func entries(_ images: [ListedImage]) -> [Entry] {
        var entries: [Entry] = []
        for (position, image) in images.enumerated() {
            guard let base = image.base?.rawValue, base > 0 || image.size != nil else { continue }
            // Without a size, the image ends where the next one starts.
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

import Algorithms
import ByteReading

/// The address space of a shared cache, with the file from which each address is mapped.
struct CacheMemory: Sendable {
    /// A range of addresses that one file maps.
    private struct Region {
        let start: UInt64
        let end: UInt64
        let file: Int
        let fileOffset: UInt64

        func clipped(from newStart: UInt64, to newEnd: UInt64) -> Self {
            Self(
                start: newStart, end: newEnd, file: file,
                fileOffset: fileOffset + (newStart - start))
        }
    }

    /// The regions, ascending and disjoint.
    private var regions: [Region] = []
    private var files: [FileBytes] = []
    /// Whether two mappings claim the same address. The first one wins.
    private(set) var hasOverlaps = false
    /// Whether a mapping exceeds the address space. Such mappings are ignored.
    private(set) var hasOverflows = false

    mutating func add(_ file: CacheFile) {
        files.append(file.bytes)
        for mapping in file.mappings where mapping.size > 0 {
            let (end, overflows) = mapping.address.addingReportingOverflow(mapping.size)
            let (_, leavesFile) = mapping.fileOffset.addingReportingOverflow(mapping.size)
            if overflows || leavesFile {
                hasOverflows = true
            } else {
                add(
                    Region(
                        start: mapping.address, end: end, file: files.count - 1,
                        fileOffset: mapping.fileOffset))
            }
        }
    }

    /// Adds those addresses of a region that are not mapped yet.
    private mutating func add(_ region: Region) {
        var index = firstRegion(endingAfter: region.start)
        var start = region.start
        while start < region.end {
            let next = index < regions.count ? regions[index] : nil
            let end = min(next?.start ?? region.end, region.end)
            if start < end {
                regions.insert(region.clipped(from: start, to: end), at: index)
                index += 1
            }
            guard let next, next.start < region.end else { return }
            hasOverlaps = true
            start = max(start, next.end)
            index += 1
        }
    }

    /// The maximum size of an image's header with its load commands, in bytes. Those of real images
    /// have some kilobytes.
    private static let headerBytesLimit: UInt64 = 1 << 17

    /// Returns the bytes from an image's header on, or `nil` if no file maps it.
    ///
    /// - Parameter next: The address of the next image, where the bytes end. Otherwise thousands of
    ///   images could share the same load commands, each starting a command later.
    func header(at address: UInt64, before next: UInt64) -> FileBytes? {
        guard let region = region(at: address) else { return nil }
        let offset = region.fileOffset + (address - region.start)
        let file = files[region.file]
        let inFile = UInt64(file.count) - min(offset, UInt64(file.count))
        let end = min(region.end, max(next, address))
        let count = min(Self.headerBytesLimit, end - address, inFile)
        return try? file.slice(at: offset, count: count, subject: "image header")
    }

    /// Returns exactly `count` bytes, which must be in one mapping.
    func bytes(
        at address: UInt64, count: UInt64, subject: String
    ) throws(ReadingError) -> FileBytes {
        guard let region = region(at: address), count <= region.end - address else {
            throw ReadingError(
                .malformed("\(count) bytes are in none of the files"), in: subject, at: address)
        }
        return try files[region.file].slice(
            at: region.fileOffset + (address - region.start), count: count, subject: subject)
    }

    /// Returns the offset of an address in the main file, which is the key of local symbols in old
    /// caches.
    func mainFileOffset(of address: UInt64) -> UInt64? {
        guard let region = region(at: address), region.file == 0 else { return nil }
        return region.fileOffset + (address - region.start)
    }

    func maps(_ address: UInt64) -> Bool { region(at: address) != nil }

    private func region(at address: UInt64) -> Region? {
        let index = firstRegion(endingAfter: address)
        guard index < regions.count, regions[index].start <= address else { return nil }
        return regions[index]
    }

    private func firstRegion(endingAfter address: UInt64) -> Int {
        regions.partitioningIndex { $0.end > address }
    }
}

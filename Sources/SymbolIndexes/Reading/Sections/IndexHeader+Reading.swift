import ByteReading
import CallStacks

extension IndexHeader {
    /// Reads a header and checks everything that can be checked without reading a section.
    init(reading file: FileBytes) throws(SymbolIndexError) {
        typealias Field = IndexLayout.Field
        let fields = HeaderFields(file)
        guard file.count >= IndexLayout.magic.count,
            zip(0..., IndexLayout.magic).allSatisfy({ fields.byte(at: $0) == $1 })
        else { throw SymbolIndexError(.notAnIndex) }
        guard file.count >= IndexLayout.headerSize else {
            throw SymbolIndexError(
                .length(stated: UInt64(IndexLayout.headerSize), found: UInt64(file.count)))
        }
        let version = fields.number(UInt16.self, at: Field.formatVersion)
        guard version == IndexLayout.formatVersion else {
            throw SymbolIndexError(.formatVersion(version))
        }
        guard fields.checksum == fields.number(UInt32.self, at: Field.checksum) else {
            throw SymbolIndexError(.headerChecksum)
        }
        image = try fields.image()
        builderRevision = fields.number(UInt16.self, at: Field.builderRevision)
        length = fields.number(UInt64.self, at: Field.length)
        digest = (0..<32).map { fields.byte(at: Field.digest + $0) }
        shape = fields.shape
        sections = fields.sections
        guard length == UInt64(file.count) else {
            throw SymbolIndexError(.length(stated: length, found: UInt64(file.count)))
        }
        try checkShape()
        try checkSections()
    }

    private func checkShape() throws(SymbolIndexError) {
        let (scale, record, counts) = (shape.scale, shape.record, shape.counts)
        guard scale == 0 || scale == 2 else {
            throw SymbolIndexError(.header("address scale \(scale) is neither 0 nor 2"))
        }
        guard (IndexLayout.smallestBucketShift..<UInt64.bitWidth).contains(shape.bucketShift) else {
            throw SymbolIndexError(.header("bucket shift \(shape.bucketShift) is out of range"))
        }
        guard record.siteBits <= UInt64.bitWidth, record.nameBits <= UInt32.bitWidth,
            record.distanceBits <= UInt32.bitWidth, record.bits <= record.size * 8,
            record.size <= IndexLayout.scopeBitsLimit / 8
        else { throw SymbolIndexError(.header("scope records do not fit 16 bytes")) }
        let perBlock = IndexLayout.entriesPerBlock
        guard counts.blocks == (counts.entries + perBlock - 1) / perBlock else {
            throw SymbolIndexError(.header("entries and blocks do not agree"))
        }
    }

    /// Checks that sections follow one another, and that those of fixed-size items have the right
    /// length.
    private func checkSections() throws(SymbolIndexError) {
        var end = UInt64(IndexLayout.headerSize)
        for section in IndexSection.allCases {
            let extent = self[section]
            let (next, overflows) = extent.offset.addingReportingOverflow(extent.length)
            guard extent.offset == end.alignedToSection, !overflows, next <= length,
                lengthFromCounts(section).map({ $0 == extent.length }) ?? true
            else { throw SymbolIndexError(.misplaced(section)) }
            end = next
        }
        guard end == length else { throw SymbolIndexError(.misplaced(.checksums)) }
    }

    private func lengthFromCounts(_ section: IndexSection) -> UInt64? {
        let counts = shape.counts
        let length: Int? =
            switch section {
            case .buckets: counts.buckets * 4
            case .blockStarts: counts.blocks * (shape.flags.contains(.wideStarts) ? 8 : 4)
            case .blockOffsets: (counts.blocks + 1) * 4
            case .scopes: counts.scopes * shape.record.size + IndexLayout.scopePadding
            case .nameGroups:
                (counts.names + IndexLayout.namesPerGroup - 1) / IndexLayout.namesPerGroup * 4
            case .files, .wideColumns:
                (section == .files ? counts.files : counts.wideColumns) * 8
            case .checksums: IndexChunks.count(inFirst: self[.checksums].offset) * 4
            case .blocks, .nameBytes, .fileStrings, .notes: nil
            }
        return length.map { UInt64($0) }
    }
}

extension UInt64 {
    /// The next position, from this one on, at which a section may begin.
    var alignedToSection: UInt64 {
        let mask = IndexLayout.sectionAlignment - 1
        return (self &+ mask) & ~mask
    }
}

/// A reader of the fields of a header of the right size.
private struct HeaderFields {
    private let bytes: [UInt8]

    init(_ file: FileBytes) {
        let size = min(file.count, IndexLayout.headerSize)
        bytes = file.withSpan(of: 0..<size) { span in span.indices.map { span[$0] } }
    }

    func byte(at position: Int) -> UInt8 { bytes[position] }

    func number<Number: FixedWidthInteger>(_ type: Number.Type, at position: Int) -> Number {
        (0..<Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number(bytes[position + $1]) }
    }

    var checksum: UInt32 {
        var bytes = bytes
        bytes.put(UInt32(0), at: IndexLayout.Field.checksum)
        return CRC32C.of(bytes.span)
    }

    func image() throws(SymbolIndexError) -> IndexedImage {
        typealias Field = IndexLayout.Field
        let length = Int(byte(at: Field.identityLength))
        guard let kind = IndexedImage.IdentityKind(rawValue: byte(at: Field.identityKind)),
            length <= ImageID.lengthLimit,
            let id = ImageID(bytes: Array(bytes[Field.identity..<Field.identity + length]))
        else { throw SymbolIndexError(.header("it names no image")) }
        return IndexedImage(
            id: id, identityKind: kind,
            architecture: Architecture(
                cpuType: number(UInt32.self, at: Field.cpuType),
                cpuSubtype: number(UInt32.self, at: Field.cpuSubtype)),
            base: LinkAddress(number(UInt64.self, at: Field.base)),
            platform: number(UInt32.self, at: Field.platform), segments: try segments(),
            textSize: number(UInt64.self, at: Field.textSize))
    }

    private func segments() throws(SymbolIndexError) -> [ImagePlacement.Segment] {
        typealias Field = IndexLayout.Field
        let count = number(UInt32.self, at: Field.segmentCount)
        guard count <= IndexedImage.segmentLimit else {
            throw SymbolIndexError(.header("\(count) segments do not fit into it"))
        }
        return (0..<Int(count)).map { index in
            let position = Field.segments + index * Field.segmentSize
            return ImagePlacement.Segment(
                fileOffset: number(UInt64.self, at: position),
                address: LinkAddress(number(UInt64.self, at: position + 8)),
                size: number(UInt64.self, at: position + 16))
        }
    }

    var shape: IndexShape {
        IndexShape(
            flags: IndexFlags(rawValue: number(UInt32.self, at: IndexLayout.Field.flags)),
            scale: Int(byte(at: IndexLayout.Field.scale)),
            bucketShift: Int(byte(at: IndexLayout.Field.bucketShift)), counts: counts,
            record: record)
    }

    private var counts: IndexShape.Counts {
        let numbers = (0..<7).map {
            Int(number(UInt32.self, at: IndexLayout.Field.counts + 4 * $0))
        }
        return IndexShape.Counts(
            entries: numbers[0], blocks: numbers[1], buckets: numbers[2], scopes: numbers[3],
            names: numbers[4], files: numbers[5], wideColumns: numbers[6])
    }

    private var record: ScopeRecord {
        let numbers = (0..<6).map { Int(byte(at: IndexLayout.Field.scopeBits + $0)) }
        return ScopeRecord(
            distanceBits: numbers[0], nameBits: numbers[1], fileBits: numbers[2],
            lineBits: numbers[3], columnBits: numbers[4], size: numbers[5])
    }

    var sections: [IndexHeader.Extent] {
        IndexSection.allCases.map { section in
            let position =
                IndexLayout.Field.sections + section.rawValue * IndexLayout.Field.sectionSize
            return IndexHeader.Extent(
                offset: number(UInt64.self, at: position),
                length: number(UInt64.self, at: position + 8))
        }
    }
}

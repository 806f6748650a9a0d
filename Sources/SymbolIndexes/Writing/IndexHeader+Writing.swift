import CallStacks

extension IndexHeader {
    /// The 512 bytes of the header, with its checksum.
    var bytes: [UInt8] {
        typealias Field = IndexLayout.Field
        var bytes = [UInt8](repeating: 0, count: IndexLayout.headerSize)
        bytes.replaceSubrange(0..<IndexLayout.magic.count, with: IndexLayout.magic)
        bytes.put(IndexLayout.formatVersion, at: Field.formatVersion)
        bytes.put(builderRevision, at: Field.builderRevision)
        bytes.put(shape.flags.rawValue, at: Field.flags)
        bytes.put(length, at: Field.length)
        bytes[Field.identityKind] = image.identityKind.rawValue
        bytes[Field.identityLength] = UInt8(image.id.bytes.count)
        bytes[Field.scale] = UInt8(shape.scale)
        bytes[Field.bucketShift] = UInt8(shape.bucketShift)
        for (index, byte) in image.id.bytes.enumerated() { bytes[Field.identity + index] = byte }
        bytes.put(image.architecture.cpuType, at: Field.cpuType)
        bytes.put(image.architecture.cpuSubtype, at: Field.cpuSubtype)
        bytes.put(image.base.rawValue, at: Field.base)
        bytes.put(image.platform, at: Field.platform)
        bytes.put(image.textSize, at: Field.textSize)
        for (index, byte) in digest.enumerated() { bytes[Field.digest + index] = byte }
        putCounts(into: &bytes)
        putSegments(into: &bytes)
        for (index, section) in sections.enumerated() {
            let position = Field.sections + index * Field.sectionSize
            bytes.put(section.offset, at: position)
            bytes.put(section.length, at: position + 8)
        }
        bytes.put(CRC32C.of(bytes.span), at: Field.checksum)
        return bytes
    }

    private func putSegments(into bytes: inout [UInt8]) {
        typealias Field = IndexLayout.Field
        bytes.put(UInt32(image.segments.count), at: Field.segmentCount)
        for (index, segment) in image.segments.enumerated() {
            let position = Field.segments + index * Field.segmentSize
            bytes.put(segment.fileOffset, at: position)
            bytes.put(segment.address.rawValue, at: position + 8)
            bytes.put(segment.size, at: position + 16)
        }
    }

    private func putCounts(into bytes: inout [UInt8]) {
        let numbers = [
            shape.counts.entries, shape.counts.blocks, shape.counts.buckets, shape.counts.scopes,
            shape.counts.names,
            shape.counts.files, shape.counts.wideColumns,
        ]
        for (index, number) in numbers.enumerated() {
            bytes.put(UInt32(number), at: IndexLayout.Field.counts + 4 * index)
        }
        let bits = [
            shape.record.distanceBits, shape.record.nameBits, shape.record.fileBits,
            shape.record.lineBits,
            shape.record.columnBits, shape.record.size,
        ]
        for (index, number) in bits.enumerated() {
            bytes[IndexLayout.Field.scopeBits + index] = UInt8(number)
        }
    }
}
